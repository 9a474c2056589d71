/** Where a sandbox keeps the spools of its commands: a size-limited tmpfs, writable by every user inside. */
export const SPOOL_DIRECTORY = '/.longrun';

/** Exit status of a command that could not be begun (no such directory, no process left). */
export const NOT_BEGUN = 126;

/**
 * Runs one command so that it survives whoever asked for it. Its output goes to a spool file and never to the
 * attached stream, so neither a background process nor a dead reader can hold up its end; what the caller may
 * see is copied to the stream at the end. Arguments as `execArguments` makes them: token, bytes of head and
 * tail, working directory, bytes of script and of input that come on stdin (-1: no input), the script.
 *
 * Prints `longrun <pid>` when it has begun and `longrun-end <status> <bytes> <kept> <begin> <end>` (times in
 * seconds of uptime; ` removed` behind them where its spool is no longer there) before the output. Uses no process beside the command itself where there is no output, else
 * two. The spools of the last eight finished commands are kept for readers that come late, unless the directory
 * is full. Only plain files are written to: opening a named pipe that the agent made would wait forever.
 */
export const EXEC_SCRIPT = `
_lr_f=${SPOOL_DIRECTORY}/$1 _lr_h=$2 _lr_t=$3 _lr_c=$4 _lr_l=$5 _lr_i=$6 _lr_s=$7
read -r _lr_b _ < /proc/uptime
set -- ${SPOOL_DIRECTORY}/*.end
_lr_r=
while [ $# -gt 8 ]; do
  [ ! -f "\${1%.end}.out" ] || { true > "\${1%.end}.out"; } 2>/dev/null
  _lr_r="$_lr_r \${1%.end}.*"
  shift
done
[ \${#_lr_r} -lt 4000 ] || rm -f $_lr_r
if ! { echo "$$ $_lr_b" > $_lr_f.pid && true > $_lr_f.out; } 2>/dev/null; then
  for _lr_r in ${SPOOL_DIRECTORY}/*; do
    [ ! -f "$_lr_r" ] || { true > "$_lr_r"; } 2>/dev/null
    rm -rf "$_lr_r"
  done
  { echo "$$ $_lr_b" > $_lr_f.pid && true > $_lr_f.out; } 2>/dev/null
fi
echo "longrun $$"
_lr_in=/dev/null
if [ $_lr_l -gt 0 ] || [ $_lr_i -gt 0 ]; then
  _lr_n=$((_lr_i > 0 ? _lr_l + _lr_i : _lr_l))
  head -c $_lr_n > $_lr_f.in
  if [ $(($(wc -c < $_lr_f.in))) -ne $_lr_n ]; then
    true > $_lr_f.in
    echo short > $_lr_f.end
    echo longrun-short
    exit ${NOT_BEGUN}
  fi
  [ $_lr_i -le 0 ] || _lr_in=$_lr_f.in
fi
if [ $_lr_l -gt 0 ]; then
  head -c $_lr_l $_lr_f.in > $_lr_f.sh
  [ $_lr_i -le 0 ] || { tail -c +$((_lr_l + 1)) $_lr_f.in > $_lr_f.rest; _lr_in=$_lr_f.rest; }
  _lr_s=". $_lr_f.sh"
fi
if cd "$_lr_c" 2>> $_lr_f.out; then
  unset OLDPWD
  /bin/sh -c "$_lr_s" < $_lr_in >> $_lr_f.out 2>&1
  _lr_e=$?
else
  _lr_e=${NOT_BEGUN}
fi
_lr_n=0 _lr_k=$((_lr_h + _lr_t))
[ ! -s $_lr_f.out ] || _lr_n=$(($(wc -c < $_lr_f.out)))
if [ $_lr_n -le $_lr_k ]; then
  _lr_k=$_lr_n
elif [ $_lr_h -gt 0 ]; then
  tail -c +$((_lr_n - _lr_t + 1)) $_lr_f.out | head -c $_lr_t | dd of=$_lr_f.out bs=$_lr_h seek=1 conv=notrunc
  dd if=/dev/null of=$_lr_f.out bs=$_lr_k seek=1
fi 2>/dev/null
[ $_lr_in = /dev/null ] || { true > $_lr_f.in; true > $_lr_in; } 2>/dev/null
read -r _lr_u _ < /proc/uptime
_lr_u="$_lr_e $_lr_n $_lr_k $_lr_b $_lr_u"
[ -f $_lr_f.out ] && [ -f $_lr_f.pid ] || _lr_u="$_lr_u removed"
echo "$_lr_u" > $_lr_f.end
echo "longrun-end $_lr_u"
[ $_lr_k -eq 0 ] || head -c $_lr_k $_lr_f.out
exit $_lr_e
`.trim();

/**
 * Reads what is known of a command, having killed it first when $4 names a reason. Run as root. Everything in
 * the command's session dies, deaf processes and those in other groups too; daemons that left the session live.
 * Arguments: token, bytes of head and tail, reason. Prints `longrun-read`, then one line each for its process
 * (`P pid begin now`), `A` while that is alive, the reason it was killed for (`K reason`), its end (`E` and the numbers above) where
 * there is one, and last `O <bytes in all>` and the bounded output.
 */
export const REPORT_SCRIPT = `
exec 2>/dev/null
f=${SPOOL_DIRECTORY}/$1 h=$2 t=$3
p= b= e=
read -r p b < $f.pid
case $p in *[!0-9]* | 0 | 1) p= ;; esac
if [ -n "$4" ] && [ ! -e $f.end ] && [ -n "$p" ]; then
  true > $f.killed-$4
  n=0
  while [ $n -lt 50 ]; do
    n=$((n + 1)) found=
    kill -KILL -$p
    for s in /proc/[0-9]*/stat; do
      read -r line < $s || continue
      set -- \${line##*) }
      [ "$4" = $p ] && [ "$1" != Z ] && [ "$1" != X ] || continue
      found=1 s=\${s%/stat}
      kill -KILL \${s#/proc/}
    done
    [ -n "$found" ] || break
  done
fi
read -r e < $f.end
read -r now _ < /proc/uptime
echo longrun-read
[ -z "$p" ] || echo "P $p $b $now"
[ -z "$p" ] || [ -n "$e" ] || [ ! -e /proc/$p ] || echo "A"
for k in timeout request; do [ ! -e $f.killed-$k ] || { echo "K $k"; break; }; done
[ -z "$e" ] || echo "E $e"
n=$(wc -c < $f.out) || n=0
n=$((n))
if [ -n "$e" ] && [ "$e" != short ]; then
  set -- $e
  echo "O $2"
  head -c $(($3 > h + t ? h + t : $3)) $f.out
elif [ $n -le $((h + t)) ]; then
  echo "O $n"
  head -c $n $f.out
else
  echo "O $n"
  head -c $h $f.out
  tail -c +$((n - t + 1)) $f.out | head -c $t
fi
exit 0
`.trim();

/**
 * Keeps the spool of a long and noisy command small: the middle of its file is punched out, so that sizes and
 * offsets stay true and no byte of head or tail is touched; what daemons wrote after the end of their own call
 * is cut off. Ends with the command. Images without `fallocate` keep the bound of the tmpfs. Arguments: token,
 * bytes of head and tail.
 */
export const TRIM_SCRIPT = `
exec 2>/dev/null
f=${SPOOL_DIRECTORY}/$1 h=$2 t=$3 slack=4194304
read -r p _ < $f.pid
cut=$((h + 4096))
while [ ! -e $f.end ] && [ -e /proc/$p ]; do
  for o in ${SPOOL_DIRECTORY}/*.end; do
    o=\${o%.end}
    [ "$(wc -c < $o.out)" -gt $slack ] || continue
    read -r _ _ k _ < $o.end
    if [ "$k" -gt 0 ]; then dd if=/dev/null of=$o.out bs=$k seek=1; else true > $o.out; fi
  done
  n=$(wc -c < $f.out)
  if [ $((n - cut)) -gt $((t + slack)) ]; then
    fallocate -p -o $cut -l $((n - t - cut)) $f.out || exit 0
    cut=$((n - t))
  fi
  sleep 1
done
`.trim();
