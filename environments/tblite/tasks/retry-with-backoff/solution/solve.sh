#!/bin/bash
cat > /app/retry.sh <<'SCRIPT'
#!/bin/bash
# retry.sh [-n ATTEMPTS] [-d DELAY] [-m MAX] [-x CODES] [--] COMMAND [ARG...]
usage() { echo "retry: $1" >&2; exit 64; }
whole() { [[ $2 =~ ^[0-9]{1,9}$ ]] || usage "$1 takes a whole number, not '$2'"; }

attempts=5 delay=1 max=60 final=
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    -n | -d | -m | -x)
      [ $# -ge 2 ] || usage "$1 needs a value"
      case $1 in
        -n) whole -n "$2"; attempts=$((10#$2)); [ "$attempts" -ge 1 ] || usage '-n must be at least 1' ;;
        -d) whole -d "$2"; delay=$((10#$2)) ;;
        -m) whole -m "$2"; max=$((10#$2)) ;;
        -x) [[ $2 =~ ^[0-9]{1,3}(,[0-9]{1,3})*$ ]] || usage "-x takes exit codes separated by commas, not '$2'"; final=$2 ;;
      esac
      shift 2 ;;
    -*) usage "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || usage 'no command'

input=
if [ ! -t 0 ]; then
  input=$(mktemp)
  trap 'rm -f "$input"' EXIT
  cat > "$input"
fi

for ((attempt = 1; ; attempt++)); do
  if [ -n "$input" ]; then
    RETRY_ATTEMPT=$attempt "$@" < "$input"
  else
    RETRY_ATTEMPT=$attempt "$@"
  fi
  code=$?
  [ "$code" -eq 0 ] && exit 0
  if [[ ,126,127,$final, == *",$code,"* ]]; then
    echo "retry: exit $code is final" >&2
    exit "$code"
  fi
  if [ "$attempt" -ge "$attempts" ]; then
    echo "retry: giving up after $attempt attempts (exit $code)" >&2
    exit "$code"
  fi
  [ "$delay" -le "$max" ] || delay=$max
  echo "retry: attempt $attempt of $attempts failed (exit $code), next in $delay s" >&2
  sleep "$delay"
  delay=$((delay * 2))
done
SCRIPT
chmod +x /app/retry.sh
