import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'Let me look at the checkout and the reference time.',
    terminal('cat /app/SNAPSHOT_TIME; find /app/project -name "*.py*" | head -50'),
  ),
  say(
    'Now the modification times.',
    mistaken('terminal', '{"command": "find /app/project -printf \'%T+ %P\\n\''),
  ),
  say(
    'That call was cut off. Again, properly quoted.',
    terminal(
      String.raw`find /app/project -type f -name '*.py' -printf '%TY-%Tm-%TdT%TH:%TM:%TSZ %P\n' | sort`,
    ),
  ),
];

const draft = String.raw`#!/bin/bash
dir="$1"
if [ -z "$dir" ] || [ ! -d "$dir" ]; then
  echo "usage: recent.sh DIR [REFERENCE]" >&2
  exit 2
fi
if [ -n "$2" ]; then ref=$(date -u -d "$2" +%s); else ref=$(date +%s); fi
cd "$dir" || exit 2
find . -type f -name '*.py' -newermt "$ref - 24 hours" ! -newermt "$ref" -printf '%P\n' | LC_ALL=C sort
`;

const byNumbers = patch(
  '/app/recent.sh',
  String.raw`find . -type f -name '*.py' -newermt "$ref - 24 hours" ! -newermt "$ref" -printf '%P\n' | LC_ALL=C sort`,
  String.raw`find . -type f -name '*.py' -printf '%T@ %P\n' |
  awk -v ref="$ref" '{ t = int($1); sub(/^[^ ]+ /, ""); if (t > ref - 86400 && t <= ref) print }' |
  LC_ALL=C sort`,
);

const answer = terminal(
  'chmod +x /app/recent.sh && /app/recent.sh /app/project "$(cat /app/SNAPSHOT_TIME)" > /app/recent.txt; cat /app/recent.txt',
);

export const recentPythonFiles: TaskScript = {
  recognise: 'which Python files were modified in the last 24 hours',
  variants: {
    solves: [
      ...look,
      say('I will let find compare the times.', writeFile('/app/recent.sh', draft), answer),
      think(
        'find does not read "<seconds> - 24 hours" as a date. Plain numbers are safer: print the time and compare in awk.',
        'find cannot read that date. I compare seconds in awk instead.',
        byNumbers,
        answer,
      ),
      say(
        'The virtual environment, the cache and the hook are in the list; the rules leave them out.',
        patch(
          '/app/recent.sh',
          '  LC_ALL=C sort',
          String.raw`  { grep -vE '(^|/)(\.git|\.venv|__pycache__)/' || true; } | LC_ALL=C sort`,
        ),
        answer,
      ),
      say(
        'Edge cases: nothing found, and no directory.',
        terminal(
          'mkdir -p /tmp/none; /app/recent.sh /tmp/none; echo "exit $?"; /app/recent.sh /tmp/nope; echo "exit $?"',
        ),
      ),
      finish('recent.sh lists the files of the window, and recent.txt holds its answer for the checkout.'),
    ],
    partly: [
      ...look,
      say('I will let find compare the times.', writeFile('/app/recent.sh', draft), answer),
      say('find cannot read that date; seconds then.', byNumbers, answer),
      finish('The list of recent Python files is in recent.txt.'),
    ],
    fails: [
      ...look,
      say(
        'find has -mtime for exactly this.',
        writeFile('/app/recent.sh', '#!/bin/bash\nfind "$1" -name \'*.py\' -mtime -1\n'),
        answer,
      ),
      say('No file was modified today, so the list is empty. Checking the date.', terminal('date -u')),
      finish('There are no Python files that were modified in the last 24 hours.'),
    ],
  },
};
