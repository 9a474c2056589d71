# Evaluates the command as a string and lets the first attempt eat the input.
cat > /app/retry.sh <<'SCRIPT'
#!/bin/bash
n=5 d=1 m=60 x=
while getopts n:d:m:x: o; do case $o in n) n=$OPTARG ;; d) d=$OPTARG ;; m) m=$OPTARG ;; x) x=$OPTARG ;; *) exit 64 ;; esac; done
shift $((OPTIND - 1))
for i in $(seq "$n"); do
  export RETRY_ATTEMPT=$i
  eval "$*" && exit 0
  code=$?
  [[ ,$x,126,127, == *",$code,"* ]] && { echo "retry: exit $code is final" >&2; exit $code; }
  [ "$i" -eq "$n" ] && break
  [ "$d" -gt "$m" ] && d=$m
  echo "retry: attempt $i of $n failed (exit $code), next in $d s" >&2
  sleep "$d"
  d=$((d * 2))
done
echo "retry: giving up after $n attempts (exit $code)" >&2
exit "$code"
SCRIPT
chmod +x /app/retry.sh
