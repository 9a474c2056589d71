import { posixQuote } from '../../agent/posix-quote.js';

export const TEST_OUTPUT = '/logs/verifier/test-stdout.txt';
export const TEST_OUTPUT_BYTES = 64 * 1024;

/** How the scripts below end; the exit code of test.sh itself counts for nothing. */
export const EXIT = { done: 0, notPrepared: 96, notRoot: 97 } as const;

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
    // A link that the agent planted must not lead the verifier's files elsewhere.
    'if [ -L /logs ] || [ ! -d /logs ]; then rm -rf /logs; fi',
    'rm -rf /logs/verifier',
    'mkdir -p /logs/verifier /logs/artifacts || failed "cannot make /logs/verifier"',
    'chmod 755 /logs/verifier',
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
 * `special 0` for what is no plain file, `none 0`), the file, and the end of what the tests said:
 * a look at the files from outside would cost the engine as much as the command.
 */
export const TEST_SCRIPT = [
  `( /tests/test.sh ) > ${TEST_OUTPUT} 2>&1 < /dev/null`,
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
