import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, readFile, say, terminal, think, writeFile } from './turns.js';

const look = [
  say('The example command first.', readFile('/app/examples/flaky.sh')),
  say('How does it behave?', mistaken('terminal', { cmd: '/app/examples/flaky.sh', timeout: 5 })),
  say(
    'It is called command.',
    terminal('for i in 1 2 3; do FLAKY_FILE=/tmp/f /app/examples/flaky.sh; echo "exit $?"; done'),
  ),
];

const draft = `#!/bin/bash
usage() { echo "retry: $1" >&2; exit 64; }

attempts=5
delay=1
max=60
final=
number() { echo "$1" | grep -qxE '[0-9]+' || usage "not a whole number: $1"; }

while [ $# -gt 0 ]; do
  case "$1" in
    -n | -d | -m | -x)
      [ $# -gt 1 ] || usage "$1 needs a value"
      if [ "$1" = -x ]; then
        echo "$2" | grep -qxE '[0-9]+(,[0-9]+)*' || usage "not a list of exit codes: $2"
      else
        number "$2"
      fi
      case "$1" in -n) attempts=$2 ;; -d) delay=$2 ;; -m) max=$2 ;; -x) final=$2 ;; esac
      shift 2
      ;;
    --) shift; break ;;
    -*) usage "unknown option: $1" ;;
    *) break ;;
  esac
done
[ "$attempts" -ge 1 ] || usage "at least one attempt"
[ $# -gt 0 ] || usage "no command"

n=1
while :; do
  RETRY_ATTEMPT=$n "$@"
  code=$?
  [ $code -ne 0 ] || exit 0
  case ",126,127,$final," in *",$code,"*) echo "retry: exit $code is final" >&2; exit $code ;; esac
  if [ $n -ge $attempts ]; then
    echo "retry: giving up after $n attempts (exit $code)" >&2
    exit $code
  fi
  [ $delay -le $max ] || delay=$max
  echo "retry: attempt $n of $attempts failed (exit $code), next in $delay s" >&2
  sleep $delay
  delay=$((delay * 2))
  n=$((n + 1))
done
`;

const tryIt = terminal(
  'chmod +x /app/retry.sh; rm -f /tmp/f; FLAKY_FILE=/tmp/f /app/retry.sh -d 0 -- /app/examples/flaky.sh; echo "exit $?"; /app/retry.sh -n 2 -d 0 -x 3,4 sh -c "exit 4"; echo "exit $?"; /app/retry.sh -n; echo "exit $?"',
);

const tryInput = terminal('printf "a\\nb\\n" | /app/retry.sh -n 2 -d 0 sh -c \'cat; exit 1\'');

export const retryWithBackoff: TaskScript = {
  recognise: 'Our nightly jobs call flaky services',
  variants: {
    solves: [
      ...look,
      say('The wrapper.', writeFile('/app/retry.sh', draft), tryIt),
      say('Options and codes are right. Does every attempt get the input?', tryInput),
      think(
        'The second attempt got nothing: the first one has read it all. It has to be kept in a file, also for its zero bytes.',
        'The second attempt found its input empty. I keep it in a file.',
        patch(
          '/app/retry.sh',
          '\nn=1\n',
          `
input=
if [ ! -t 0 ]; then
  input=$(mktemp) || exit 1
  trap 'rm -f "$input"' EXIT
  cat > "$input"
fi

n=1
`,
        ),
        patch(
          '/app/retry.sh',
          '  RETRY_ATTEMPT=$n "$@"\n',
          '  if [ -n "$input" ]; then RETRY_ATTEMPT=$n "$@" < "$input"; else RETRY_ATTEMPT=$n "$@"; fi\n',
        ),
        tryInput,
      ),
      say(
        'Arguments with spaces, and the delays.',
        terminal(
          '/app/retry.sh -n 3 -d 0 -- printf "<%s>" "a b" "" "*"; /app/retry.sh -n 3 -d 1 -m 1 false; echo "exit $?"',
        ),
      ),
      finish('retry.sh retries with growing delays, and each attempt gets the whole input.'),
    ],
    partly: [
      ...look,
      say('The wrapper.', writeFile('/app/retry.sh', draft), tryIt),
      finish('retry.sh retries with growing delays.'),
    ],
    fails: [
      ...look,
      say(
        'A loop is enough.',
        writeFile(
          '/app/retry.sh',
          '#!/bin/bash\nfor i in 1 2 3 4 5; do\n  $@ && exit 0\n  sleep $i\ndone\nexit 1\n',
        ),
        terminal(
          'chmod +x /app/retry.sh; rm -f /tmp/f; FLAKY_FILE=/tmp/f /app/retry.sh /app/examples/flaky.sh',
        ),
      ),
      finish('It succeeded at the third call.'),
    ],
  },
};
