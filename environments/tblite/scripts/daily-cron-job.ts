import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, readFile, say, terminal, think, writeFile } from './turns.js';

const CRONTAB = '/app/rootfs/etc/cron.d/daily-report';

const look = [
  say(
    'What does the script need?',
    readFile('/app/reports/README.txt'),
    mistaken('read', { file: '/app/reports/daily_report.py' }),
  ),
  say('The tool is read_file.', readFile('/app/reports/daily_report.py')),
];

const draft = `# Orders of the day before, every night.
SHELL=/bin/sh
PATH=/usr/local/bin:/usr/bin:/bin
MAILTO=ops@example.org
REPORT_ENV=production

30 2 * * * reports cd /app/reports && flock -n /app/run/daily-report.lock /app/venv/bin/python /app/reports/daily_report.py --date $(date -d yesterday +%Y-%m-%d) >> /app/log/daily-report.log 2>&1
`;

const dryRun = terminal(
  `grep '^30' ${CRONTAB} | cut -d' ' -f7- | sed 's/\\\\%/\\x01/g; s/%.*//; s/\\x01/%/g' > /tmp/job; cat /tmp/job; cd / && env -i PATH=/usr/bin:/bin sh /tmp/job; echo "exit $?"; cat /app/log/daily-report.log; cd /app`,
);

export const dailyCronJob: TaskScript = {
  recognise: 'Set up a cron job that runs the Python script',
  variants: {
    solves: [
      ...look,
      say(
        'The crontab and the directories it needs.',
        terminal('mkdir -p /app/log /app/run'),
        writeFile(CRONTAB, draft),
        terminal(`chmod 644 ${CRONTAB}; stat -c %a ${CRONTAB}`),
      ),
      say('There is no cron, but I can cut the line at % as cron does, and run what is left.', dryRun),
      think(
        'An unescaped % ends the command in a crontab: the shell saw "$(date -d yesterday +" and nothing more.',
        'As feared: % ends the command. It needs a backslash.',
        patch(CRONTAB, '+%Y-%m-%d', String.raw`+\%Y-\%m-\%d`),
        dryRun,
      ),
      say(
        'The trial left a log behind.',
        terminal(
          'rm -f /app/log/daily-report.log /app/run/daily-report.lock; tail -c 20 /app/rootfs/etc/cron.d/daily-report | od -c',
        ),
      ),
      finish('The job is in /app/rootfs/etc/cron.d/daily-report.'),
    ],
    partly: [
      ...look,
      say(
        'The crontab and the directories it needs.',
        terminal('mkdir -p /app/log /app/run'),
        writeFile(CRONTAB, draft),
        terminal(`chmod 644 ${CRONTAB}; cat ${CRONTAB}`),
      ),
      finish('The job runs every night at 02:30.'),
    ],
    fails: [
      ...look,
      say(
        'crontab installs it.',
        terminal("echo '30 2 * * * /app/venv/bin/python /app/reports/daily_report.py' | crontab -"),
      ),
      say(
        'There is no crontab command; then directly.',
        terminal(
          "mkdir -p /etc/cron.d && echo '30 2 * * * root /app/venv/bin/python /app/reports/daily_report.py' > /etc/cron.d/daily-report; cat /etc/cron.d/daily-report",
        ),
      ),
      finish('Installed the job in /etc/cron.d.'),
    ],
  },
};
