import { posixQuote } from '../../core/text/posix-quote.js';
import { shell } from '../../core/text/shell.js';
import { LEFTOVERS, LOOK_AT_LEFTOVERS, LOOK_AT_SPOOLS, SUSPECT_WORD } from './leftover-script.js';

export const TEST_OUTPUT = '/logs/verifier/test-stdout.txt';
const MARKER = '/logs/verifier/.ended';
export const TEST_OUTPUT_BYTES = 64 * 1024;

/** How the scripts below end; the exit code of test.sh itself counts for nothing. */
export const EXIT = { done: 0, notPrepared: 96, notRoot: 97 } as const;

/** A sandbox has 512 unless it is told otherwise; no task asks for so many services. */
const CROWDED_PROCESSES = 300;

export interface Preparation {
  /** Where the tests were unpacked, to become /tests; null = they are there already. */
  staged: string | null;
  /** Who will write to /logs/verifier, when that is not root; `''` = whoever the default user is. */
  writer: string | null;
}

/** Empties /logs/verifier and puts the tests in the place of whatever is at /tests. Needs root. */
export function prepareScript({ staged, writer }: Preparation): string {
  return [
    PREPARE_SCRIPT,
    writer === null ? '' : ownedBy(writer),
    staged === null ? '' : replaceTests(posixQuote(staged)),
    CHECK_TESTS,
  ].join('\n');
}

const PREPARE_SCRIPT = shell`
failed() { echo "verification could not be prepared: $1"; exit ${EXIT.notPrepared}; }
${LEFTOVERS}
${LOOK_AT_LEFTOVERS}
${LOOK_AT_SPOOLS}
# Where the agent's processes leave hardly any for the tests, they have to go.
set -- /proc/[0-9]*
round=0
while [ $# -gt ${CROWDED_PROCESSES} ] && [ $round -lt 20 ]; do
  for p; do
    p=\${p#/proc/}
    [ "$p" = 1 ] || [ "$p" = $$ ] || [ "$p" = $PPID ] || kill -KILL "$p" 2> /dev/null
  done
  set -- /proc/[0-9]*
  round=$((round + 1))
done
for at in /logs /logs/verifier; do [ ! -L $at ] || echo "${SUSPECT_WORD} linked $at"; done
# A link that the agent planted must not lead the verifier's files elsewhere.
if [ -L /logs ] || [ ! -d /logs ]; then rm -rf /logs; fi
rm -rf /logs/verifier
mkdir -p /logs/verifier /logs/artifacts || failed "cannot make /logs/verifier"
# Nobody but root may put another folder in its place while the tests run.
chown 0:0 /logs 2> /dev/null
chmod 755 /logs /logs/verifier`;

const CHECK_TESTS = shell`
chmod +x /tests/test.sh || failed "there is no /tests/test.sh"`;

function ownedBy(writer: string): string {
  return writer === ''
    ? shell`chmod 777 /logs/verifier`
    : shell`chown -- ${posixQuote(writer)} /logs/verifier 2> /dev/null || chmod 777 /logs/verifier`;
}

function replaceTests(staged: string): string {
  return shell`
rm -rf /tests 2> /dev/null
if [ -e /tests ] || [ -L /tests ]; then
  # A mount point can be emptied but not removed.
  { cp -R ${staged}/. /tests/ && rm -rf ${staged}; } || failed "cannot copy the tests"
else
  mv ${staged} /tests || failed "cannot move the tests"
fi`;
}

/** Of a reward file; a reward is a few numbers. */
export const REWARD_LIMIT_BYTES = 16 * 1024;

/** The words before the reward and before what the tests said: `nonce` was nowhere in the sandbox before this command. */
export const answerWords = (nonce: string) => ({
  reward: `longrun-reward-${nonce}`,
  output: `longrun-output-${nonce}`,
});

/**
 * Runs the tests as Harbor does. Prints the first word, which reward file they left and its size (`json 14`, `txt 2`,
 * `special 0` for what is no plain file, `none 0`), the file, what looks suspicious, the second word and the end of
 * what the tests said: a look at the files from outside would cost the engine as much as the command. Where anything
 * was left running, the reward is looked at once more: nobody has business there after the tests.
 */
export function testScript(nonce: string): string {
  const { reward, output } = answerWords(nonce);
  return shell`
${LEFTOVERS}
left=$(leftovers)
( /tests/test.sh ) > '${TEST_OUTPUT}' 2>&1 < /dev/null
true > '${MARKER}'
kind=none size=0
for found in json txt; do
  file=/logs/verifier/reward.$found
  if [ -L "$file" ] || [ -e "$file" ]; then kind=$found; break; fi
done
if [ $kind != none ] && { [ -L "$file" ] || [ ! -f "$file" ]; }; then kind=special; fi
case $kind in json | txt) size=$(wc -c < "$file") && size=$((size)) ;; esac
echo "${reward} $kind $size"
[ "$size" -eq 0 ] || head -c ${REWARD_LIMIT_BYTES} "$file"
echo
if [ -n "$left" ] && [ $kind != none ]; then
  sleep 0.5 2> /dev/null || sleep 1
  # shellcheck disable=SC3013
  if [ ! -f "$file" ] || [ -L "$file" ] || [ "$file" -nt ${MARKER} ]; then
    echo "${SUSPECT_WORD} changed $file after the tests"
  fi
fi
rm -f ${MARKER}
echo ${output}
tail -c ${TEST_OUTPUT_BYTES} ${TEST_OUTPUT}
exit ${EXIT.done}`;
}

/** Both in one command, where the user is root: a command costs the engine about 50 ms. */
export function wholeScript(staged: string | null, nonce: string): string {
  return [ONLY_ROOT, prepareScript({ staged, writer: null }), testScript(nonce)].join('\n');
}

const ONLY_ROOT = shell`[ "$(id -u)" = 0 ] || exit ${EXIT.notRoot}`;
