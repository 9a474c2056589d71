import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, readFile, say, terminal, think } from './turns.js';

const UNIT = '/app/systemd/tide-sync.service';
const OVERRIDE = '/app/systemd/tide-sync.service.d/override.conf';
const PROGRAM = '/app/tide-sync/bin/tide-sync.sh';

const look = [
  say('Status and journal.', terminal('systemctl status tide-sync'), readFile('/app/journal.txt')),
  say('No systemd here, as announced. The files, then.', mistaken('read_file', { paths: [UNIT, OVERRIDE] })),
  say(
    'One file at a time.',
    readFile(UNIT),
    readFile(OVERRIDE),
    readFile('/app/tide-sync/README.txt'),
    terminal('cd /app/tide-sync && find . -printf "%M %p\\n" && cat etc/*'),
  ),
];

const fromJournal = [
  patch(UNIT, '[Instal]', '[Install]'),
  patch(OVERRIDE, 'ExecStart=', 'ExecStart=\nExecStart='),
  patch(UNIT, 'etc/tidesync.env', 'etc/tide-sync.env'),
];

const start = terminal(
  'cd /app/tide-sync/incoming && rm -rf /tmp/t && (env SYNC_MODE=full SYNC_TARGET=/tmp/t "SYNC_STATIONS=a b" timeout 3 /app/tide-sync/bin/tide-sync.sh --interval 60; echo "exit $?"); ls /tmp/t; cd /app',
);

export const brokenSystemdUnit: TaskScript = {
  recognise: "The service `tide-sync` has not started since Monday's change",
  variants: {
    solves: [
      ...look,
      say('What the journal names: the section, the second ExecStart, the configuration.', ...fromJournal),
      say(
        'What it does not name: the program stays in the foreground, the directory is incoming, and systemd knows no export.',
        patch(UNIT, 'Type=forking', 'Type=simple'),
        patch(UNIT, '/app/tide-sync/spool', '/app/tide-sync/incoming'),
        terminal(
          "sed -i 's/^export //' /app/tide-sync/etc/tide-sync.env; cat /app/tide-sync/etc/tide-sync.env",
        ),
      ),
      say('Now the command itself.', start),
      say('Not executable. And then?', terminal(`chmod 755 ${PROGRAM}; head -1 ${PROGRAM} | od -c`), start),
      think(
        'The first line ends in \\r: the kernel looks for "/bin/bash\\r".',
        'Windows line ends. Away with them.',
        terminal(`sed -i 's/\\r$//' ${PROGRAM}; cat ${PROGRAM}`),
        start,
      ),
      say(
        'The target is never made, a name is misspelt, and SIGTERM is ignored instead of obeyed.',
        patch(PROGRAM, '$intervall', '$interval'),
        patch(
          PROGRAM,
          "trap '' TERM\n",
          `mkdir -p "$SYNC_TARGET"
rm -f "$SYNC_TARGET/stopped"
trap 'touch "$SYNC_TARGET/stopped"; exit 0' TERM
`,
        ),
        start,
      ),
      say(
        'The trap waits for sleep to end; in the background it can be interrupted.',
        patch(PROGRAM, '  sleep "$interval"\n', '  sleep "$interval" &\n  wait $!\n'),
        start,
      ),
      finish('The unit, its drop-in, the configuration and the program are repaired.'),
    ],
    partly: [
      ...look,
      say('What the journal names: the section, the second ExecStart, the configuration.', ...fromJournal),
      say('The program must be executable.', terminal(`chmod 755 ${PROGRAM} && ls -l ${PROGRAM}`)),
      finish('All problems of the journal are fixed.'),
    ],
    fails: [
      ...look,
      say(
        'Monday’s drop-in is to blame.',
        terminal('rm -r /app/systemd/tide-sync.service.d && systemctl daemon-reload'),
      ),
      say(
        'It should restart harder.',
        patch(UNIT, 'Restart=on-failure', 'Restart=always'),
        terminal(`grep -n Restart ${UNIT}`),
      ),
      finish('With the drop-in gone the service will start.'),
    ],
  },
};
