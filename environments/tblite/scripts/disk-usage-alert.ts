import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, readFile, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'The example first, and what df prints here.',
    readFile('/app/examples/df-output.txt'),
    terminal('df -P'),
  ),
];

const draft = `#!/bin/bash
[ -n "$THRESHOLD" ] || THRESHOLD=90
[ -n "$ALERT_LOG" ] || ALERT_LOG=/app/alerts.log

usage=$(df -P) || { echo "disk-alert: df failed" >&2; exit 3; }

code=0
while read -r device _ _ free capacity mount rest; do
  case "$device" in Filesystem | tmpfs | devtmpfs | overlay | udev) continue ;; esac
  percent=$(echo "$capacity" | tr -d %)
  [ "$percent" -gt "$THRESHOLD" ] || continue
  code=1
  line="ALERT $mount $percent% used ($free KiB free)"
  echo "$line"
  mkdir -p "$(dirname "$ALERT_LOG")"
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $line" >> "$ALERT_LOG"
done <<< "$usage"
exit $code
`;

const tryIt = terminal(
  'mkdir -p /tmp/bin && printf \'#!/bin/sh\\ncat /app/examples/df-output.txt\\n\' > /tmp/bin/df && chmod +x /tmp/bin/df /app/disk-alert.sh; PATH=/tmp/bin:$PATH ALERT_LOG=/tmp/a/b.log /app/disk-alert.sh; echo "exit $?"; cat /tmp/a/b.log',
);

export const diskUsageAlert: TaskScript = {
  recognise: 'Write a bash script `/app/disk-alert.sh`',
  variants: {
    solves: [
      ...look,
      say('A first version.', mistaken('write_file', { path: '/app/disk-alert.sh' })),
      say('The content was missing.', writeFile('/app/disk-alert.sh', draft), tryIt),
      think(
        'Two things: "backup disk" lost its second word because read puts it into rest, and "-" is no number.',
        'Mount points may contain spaces, and pseudo file systems have no capacity.',
        patch('/app/disk-alert.sh', 'capacity mount rest; do', 'capacity mount; do'),
        patch(
          '/app/disk-alert.sh',
          '  percent=$(echo "$capacity" | tr -d %)\n',
          '  case "$capacity" in [0-9]*%) percent=$(echo "$capacity" | tr -d %) ;; *) continue ;; esac\n',
        ),
        tryIt,
      ),
      say(
        'Now the threshold: only whole numbers from 0 to 100.',
        patch(
          '/app/disk-alert.sh',
          '\nusage=',
          `
if ! echo "$THRESHOLD" | grep -qxE '[0-9]{1,2}|100'; then
  echo "disk-alert: THRESHOLD must be a whole number from 0 to 100" >&2
  exit 2
fi

usage=`,
        ),
        terminal(
          'for t in ninety 101 -5 "90 " 94; do THRESHOLD=$t PATH=/tmp/bin:$PATH ALERT_LOG=/tmp/t.log /app/disk-alert.sh; echo "$t: exit $?"; done',
        ),
      ),
      finish('disk-alert.sh alerts above the threshold and logs, with the exit codes asked for.'),
    ],
    partly: [
      ...look,
      say('A first version.', mistaken('write_file', { path: '/app/disk-alert.sh' })),
      say('The content was missing.', writeFile('/app/disk-alert.sh', draft), tryIt),
      finish('The script alerts for / and for the backup disk.'),
    ],
    fails: [
      ...look,
      say('df can do most of it by itself.', mistaken('bash', { cmd: 'df --help' })),
      say(
        'Right, the tool is called terminal.',
        terminal(
          'printf \'#!/bin/sh\\ndf -h | awk "\\$5 > 90 { print \\"ALERT\\", \\$6 }"\\n\' > /app/disk-alert.sh && chmod +x /app/disk-alert.sh && cat /app/disk-alert.sh',
        ),
      ),
      say('Does it run?', terminal('/app/disk-alert.sh; echo "exit $?"')),
      finish('No disk is too full at the moment.'),
    ],
  },
};
