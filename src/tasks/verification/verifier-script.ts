import { posixQuote } from '../../agent/posix-quote.js';
import { LEFTOVERS, LOOK_AT_LEFTOVERS, SUSPECT_WORD } from './leftover-script.js';

export const TEST_OUTPUT = '/logs/verifier/test-stdout.txt';
const MARKER = '/logs/verifier/.ended';
/** The line after which the tests' own words begin. */
export const OUTPUT_WORD = 'longrun-output';
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
  const lines = [
    `failed() { echo "verification could not be prepared: $1"; exit ${EXIT.notPrepared}; }`,
    LEFTOVERS,
    LOOK_AT_LEFTOVERS,
    // Where the agent's processes leave hardly any for the tests, they have to go.
    `set -- /proc/[0-9]*; round=0`,
    `while [ $# -gt ${CROWDED_PROCESSES} ] && [ $round -lt 20 ]; do`,
    '  for p; do p=${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] || [ $p = $PPID ] || kill -KILL $p 2> /dev/null; done',
    '  set -- /proc/[0-9]*; round=$((round + 1))',
    'done',
    `for at in /logs /logs/verifier; do [ ! -L $at ] || echo "${SUSPECT_WORD} linked $at"; done`,
    // A link that the agent planted must not lead the verifier's files elsewhere.
    'if [ -L /logs ] || [ ! -d /logs ]; then rm -rf /logs; fi',
    'rm -rf /logs/verifier',
    'mkdir -p /logs/verifier /logs/artifacts || failed "cannot make /logs/verifier"',
    // Nobody but root may put another folder in its place while the tests run.
    'chown 0:0 /logs 2> /dev/null; chmod 755 /logs /logs/verifier',
  ];
  if (writer !== null) lines.push(`${ownedBy(writer)} || chmod 777 /logs/verifier`);
  if (staged !== null) lines.push(...replaceTests(posixQuote(staged)));
  lines.push('chmod +x /tests/test.sh || failed "there is no /tests/test.sh"');
  return lines.join('\n');
}

/** Of a reward file; a reward is a few numbers. */
export const REWARD_LIMIT_BYTES = 16 * 1024;

/**
 * Runs the tests as Harbor does. Prints `longrun-reward`, which reward file they left and its size (`json 14`, `txt 2`,
 * `special 0` for what is no plain file, `none 0`), the file, what looks suspicious, `longrun-output` and the end of
 * what the tests said: a look at the files from outside would cost the engine as much as the command. Where anything
 * was left running, the reward is looked at once more: nobody has business there after the tests.
 */
export const TEST_SCRIPT = [
  LEFTOVERS,
  'left=$(leftovers)',
  `( /tests/test.sh ) > ${TEST_OUTPUT} 2>&1 < /dev/null`,
  `true > ${MARKER}`,
  'kind=none size=0',
  'for found in json txt; do',
  '  file=/logs/verifier/reward.$found',
  '  if [ -L $file ] || [ -e $file ]; then kind=$found; break; fi',
  'done',
  'if [ $kind != none ] && { [ -L $file ] || [ ! -f $file ]; }; then kind=special; fi',
  'case $kind in json | txt) set -- $(wc -c $file) && size=$1 ;; esac',
  'echo "longrun-reward $kind $size"',
  `[ $size -eq 0 ] || head -c ${REWARD_LIMIT_BYTES} $file`,
  'echo',
  'if [ -n "$left" ] && [ $kind != none ]; then',
  '  sleep 0.5 2> /dev/null || sleep 1',
  `  if [ ! -f $file ] || [ -L $file ] || [ $file -nt ${MARKER} ]; then echo "${SUSPECT_WORD} changed $file after the tests"; fi`,
  'fi',
  `rm -f ${MARKER}`,
  `echo ${OUTPUT_WORD}`,
  `tail -c ${TEST_OUTPUT_BYTES} ${TEST_OUTPUT}`,
  `exit ${EXIT.done}`,
].join('\n');

/** Both in one command, where the user is root: a command costs the engine about 50 ms. */
export function wholeScript(staged: string | null): string {
  const onlyRoot = `[ "$(id -u)" = 0 ] || exit ${EXIT.notRoot}`;
  return [onlyRoot, prepareScript({ staged, writer: null }), TEST_SCRIPT].join('\n');
}

function ownedBy(writer: string): string {
  return writer === '' ? 'false' : `chown ${posixQuote(writer)} /logs/verifier 2> /dev/null`;
}

function replaceTests(staged: string): string[] {
  return [
    'rm -rf /tests 2> /dev/null',
    'if [ -e /tests ] || [ -L /tests ]; then',
    // A mount point can be emptied but not removed.
    `  cp -R ${staged}/. /tests/ && rm -rf ${staged} || failed "cannot copy the tests"`,
    'else',
    `  mv ${staged} /tests || failed "cannot move the tests"`,
    'fi',
  ];
}
