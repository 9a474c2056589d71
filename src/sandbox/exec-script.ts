import { shell } from '../core/text/shell.js';

/** Exit status of a command that could not be begun (no such directory, no process left). */
export const NOT_BEGUN = 126;

/**
 * Runs one command so that it survives whoever asked for it. Its output goes to a spool file and never to the
 * attached stream, so neither a background process nor a dead reader can hold up its end; what the caller may
 * see is copied to the stream at the end. Arguments as `execArguments` makes them: folder of the spools, token,
 * bytes of head and tail, working directory, bytes of script and of input that come on stdin (-1: no input), the
 * script.
 *
 * Prints `longrun <pid>` when it has begun and `longrun-end <status> <bytes> <kept> <begin> <end>` (times in
 * seconds of uptime; ` removed` behind them where its spool is no longer there) before the output. Uses no process
 * beside the command itself where there is no output, else two. The spools of the last eight finished commands are
 * kept for readers that come late, unless the directory is full. Only plain files are written to: opening a named
 * pipe that the agent made would wait forever. A folder that belongs to somebody else is not used.
 */
export const EXEC_SCRIPT = shell`
_lr_d=$1 _lr_f=$1/$2 _lr_h=$3 _lr_t=$4 _lr_c=$5 _lr_l=$6 _lr_i=$7 _lr_s=$8
read -r _lr_b _ < /proc/uptime
if ! [ -O "$_lr_d" ] || [ -L "$_lr_d" ]; then mkdir -m 700 "$_lr_d" || exit ${NOT_BEGUN}; fi
set -- "$_lr_d"/*.end
_lr_n=$# _lr_k=$#
for _lr_r; do
  [ $_lr_k -gt 8 ] || break
  _lr_k=$((_lr_k - 1)) _lr_r=\${_lr_r%.end}
  [ ! -f "$_lr_r.out" ] || { true > "$_lr_r.out"; } 2>/dev/null
  [ $_lr_n -lt 100 ] || set -- "$@" "$_lr_r".*
done
if [ $_lr_n -ge 100 ]; then
  shift $_lr_n
  rm -f -- "$@"
fi
if ! { echo "$$ $_lr_b" > "$_lr_f.pid" && true > "$_lr_f.out"; } 2>/dev/null; then
  for _lr_r in "$_lr_d"/*; do
    [ ! -f "$_lr_r" ] || { true > "$_lr_r"; } 2>/dev/null
    rm -rf -- "$_lr_r"
  done
  { echo "$$ $_lr_b" > "$_lr_f.pid" && true > "$_lr_f.out"; } 2>/dev/null
fi
echo "longrun $$"
_lr_in=/dev/null
if [ "$_lr_l" -gt 0 ] || [ "$_lr_i" -gt 0 ]; then
  _lr_n=$((_lr_i > 0 ? _lr_l + _lr_i : _lr_l))
  head -c $_lr_n > "$_lr_f.in"
  if [ $(($(wc -c < "$_lr_f.in"))) -ne $_lr_n ]; then
    true > "$_lr_f.in"
    echo short > "$_lr_f.end"
    echo longrun-short
    exit ${NOT_BEGUN}
  fi
  [ "$_lr_i" -le 0 ] || _lr_in=$_lr_f.in
fi
if [ "$_lr_l" -gt 0 ]; then
  head -c "$_lr_l" "$_lr_f.in" > "$_lr_f.sh"
  [ "$_lr_i" -le 0 ] || { tail -c +$((_lr_l + 1)) "$_lr_f.in" > "$_lr_f.rest"; _lr_in=$_lr_f.rest; }
  _lr_s=". $_lr_f.sh"
fi
if cd "$_lr_c" 2>> "$_lr_f.out"; then
  unset OLDPWD
  /bin/sh -c "$_lr_s" < "$_lr_in" >> "$_lr_f.out" 2>&1
  _lr_e=$?
else
  _lr_e=${NOT_BEGUN}
fi
_lr_n=0 _lr_k=$((_lr_h + _lr_t))
[ ! -s "$_lr_f.out" ] || _lr_n=$(($(wc -c < "$_lr_f.out")))
if [ $_lr_n -le $_lr_k ]; then
  _lr_k=$_lr_n
elif [ "$_lr_h" -gt 0 ]; then
  tail -c +$((_lr_n - _lr_t + 1)) "$_lr_f.out" | head -c "$_lr_t" |
    dd of="$_lr_f.out" bs="$_lr_h" seek=1 conv=notrunc
  dd if=/dev/null of="$_lr_f.out" bs=$_lr_k seek=1
fi 2>/dev/null
[ "$_lr_in" = /dev/null ] || { true > "$_lr_f.in"; true > "$_lr_in"; } 2>/dev/null
read -r _lr_u _ < /proc/uptime
_lr_u="$_lr_e $_lr_n $_lr_k $_lr_b $_lr_u"
[ -f "$_lr_f.out" ] && [ -f "$_lr_f.pid" ] || _lr_u="$_lr_u removed"
echo "$_lr_u" > "$_lr_f.end"
echo "longrun-end $_lr_u"
[ $_lr_k -eq 0 ] || head -c $_lr_k "$_lr_f.out"
exit $_lr_e
`;

/**
 * Sets `line` to what stands behind the name in a stat file of /proc, state first. Nothing but numbers follows the
 * last parenthesis, and a process may have line ends and parentheses in its name. No process is needed for it.
 */
export const READ_STAT = shell`
read_stat() {
  line=
  while read -r part || [ -n "$part" ]; do line="$line $part"; done 2> /dev/null < "$1"
  line=\${line##*) }
  [ -n "$line" ]
}`;

/**
 * Reads what is known of a command, having killed it first when $5 names a reason. Run as the command's user, who
 * wrote what it reads. Everything in the command's session dies, deaf processes and those in other groups too;
 * daemons that left the session live. Arguments: folder of the spools, token, bytes of head and tail, reason. Prints
 * `longrun-read`, then one line each for its process (`P pid begin now`), `A` while that is alive, the reason it was
 * killed for (`K reason`), its end (`E` and the numbers above) where there is one, and last `O <bytes in all>` and the
 * bounded output.
 */
export const REPORT_SCRIPT = shell`
exec 2>/dev/null
${READ_STAT}
f=$1/$2 h=$3 t=$4 reason=$5
p= b= e=
read -r p b < "$f.pid"
case $p in *[!0-9]* | 0 | 1) p= ;; esac
if [ -n "$reason" ] && [ ! -e "$f.end" ] && [ -n "$p" ]; then
  true > "$f.killed-$reason"
  n=0
  while [ $n -lt 50 ]; do
    n=$((n + 1)) found=
    kill -KILL "-$p"
    for s in /proc/[0-9]*/stat; do
      read_stat "$s" || continue
      # shellcheck disable=SC2086
      set -- $line
      [ "$4" = "$p" ] && [ "$1" != Z ] && [ "$1" != X ] || continue
      found=1 s=\${s%/stat}
      kill -KILL "\${s#/proc/}"
    done
    [ -n "$found" ] || break
  done
fi
read -r e < "$f.end"
read -r now _ < /proc/uptime
echo longrun-read
[ -z "$p" ] || echo "P $p $b $now"
[ -z "$p" ] || [ -n "$e" ] || [ ! -e "/proc/$p" ] || echo "A"
for k in timeout request; do [ ! -e "$f.killed-$k" ] || { echo "K $k"; break; }; done
[ -z "$e" ] || echo "E $e"
n=$(wc -c < "$f.out") || n=0
n=$((n))
if [ -n "$e" ] && [ "$e" != short ]; then
  read -r _ all kept _ < "$f.end"
  case $kept in '' | *[!0-9]*) kept=0 ;; esac
  echo "O $all"
  head -c $((kept > h + t ? h + t : kept)) "$f.out"
elif [ $n -le $((h + t)) ]; then
  echo "O $n"
  head -c $n "$f.out"
else
  echo "O $n"
  head -c "$h" "$f.out"
  tail -c +$((n - t + 1)) "$f.out" | head -c "$t"
fi
exit 0
`;

/**
 * Keeps the spool of a long and noisy command small: the middle of its file is punched out, so that sizes and
 * offsets stay true and no byte of head or tail is touched; what daemons wrote after the end of their own call
 * is cut off. Ends with the command. Images without `fallocate` keep the bound of the tmpfs. Run as the command's
 * user. Arguments: folder of the spools, token, bytes of head and tail.
 */
export const TRIM_SCRIPT = shell`
exec 2>/dev/null
d=$1 f=$1/$2 h=$3 t=$4 slack=4194304
read -r p _ < "$f.pid"
cut=$((h + 4096))
while [ ! -e "$f.end" ] && [ -e "/proc/$p" ]; do
  for o in "$d"/*.end; do
    o=\${o%.end}
    [ "$(wc -c < "$o.out")" -gt $slack ] || continue
    read -r _ _ k _ < "$o.end"
    if [ "$k" -gt 0 ]; then dd if=/dev/null of="$o.out" bs="$k" seek=1; else true > "$o.out"; fi
  done
  n=$(wc -c < "$f.out")
  if [ $((n - cut)) -gt $((t + slack)) ]; then
    fallocate -p -o $cut -l $((n - t - cut)) "$f.out" || exit 0
    cut=$((n - t))
  fi
  sleep 1
done
`;
