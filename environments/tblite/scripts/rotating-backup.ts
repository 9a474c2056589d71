import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, plan, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'What is there to back up, and which tools are there?',
    terminal('find /app/data; tar --version | head -1; crontab -l'),
  ),
  say(
    'No cron here, and none is needed.',
    plan('archive under a temporary name', 'rotation by name', 'error codes', 'try it'),
  ),
];

const draft = String.raw`#!/bin/bash
die() { echo "backup: $2" >&2; exit "$1"; }

[ $# -eq 2 ] || [ $# -eq 3 ] || die 2 "usage: backup.sh SOURCE DEST [KEEP]"
keep=7
[ $# -eq 2 ] || keep=$3
echo "$keep" | grep -qxE '0*[1-9][0-9]*' || die 2 "KEEP must be at least 1: $keep"
[ -d "$1" ] || die 3 "no such directory: $1"

[ -n "$BACKUP_TIME" ] || BACKUP_TIME=$(date +%s)
name=backup-$(date -u -d "@$BACKUP_TIME" +%Y%m%dT%H%M%SZ).tar.gz
[ ! -e "$2/$name" ] || die 4 "$2/$name is already there"

mkdir -p "$2"
source=$(realpath "$1")
tar -czf "$2/$name" --exclude='*.tmp' --exclude=.cache -C "$(dirname "$source")" "$(basename "$source")" || die 5 "tar failed"

ls "$2" | grep -xE 'backup-[0-9]{8}T[0-9]{6}Z\.tar\.gz' | sort -r | tail -n +$((keep + 1)) | while read -r old; do
  [ ! -f "$2/$old" ] || rm "$2/$old"
done
echo "$2/$name"
`;

const tryIt = terminal(
  'chmod +x /app/backup.sh; rm -rf /tmp/b; for t in 1 2 3 4; do BACKUP_TIME=$t /app/backup.sh /app/data/ /tmp/b 2; done; ls /tmp/b; tar -tzf "$(ls /tmp/b/* | tail -1)"',
);

const safely = patch(
  '/app/backup.sh',
  `tar -czf "$2/$name" --exclude='*.tmp' --exclude=.cache -C "$(dirname "$source")" "$(basename "$source")" || die 5 "tar failed"`,
  `part="$2/.$name.part"
if ! tar -czf "$part" --exclude='*.tmp' --exclude=.cache -C "$(dirname "$source")" "$(basename "$source")"; then
  rm -f "$part"
  die 5 "tar failed"
fi
mv "$part" "$2/$name"`,
);

export const rotatingBackup: TaskScript = {
  recognise: 'Create a backup script with rotation',
  variants: {
    solves: [
      ...look,
      say('The script.', writeFile('/app/backup.sh', draft), tryIt),
      think(
        'tar writes straight to the final name, and a failed run leaves a broken archive.',
        'A partial archive must not carry the final name.',
        mistaken('patch', { path: '/app/backup.sh', old_string: 'tar -czf "$2/$name"' }),
      ),
      say('patch wants the new text as well.', safely, tryIt),
      say(
        'A directory with the name of a backup must not take the place of one: only regular files count.',
        patch(
          '/app/backup.sh',
          'ls "$2" | grep',
          String.raw`find "$2" -maxdepth 1 -type f -printf '%f\n' | grep`,
        ),
        terminal(
          'mkdir -p /tmp/bin && printf "#!/bin/sh\\nexit 2\\n" > /tmp/bin/tar && chmod +x /tmp/bin/tar; PATH=/tmp/bin:$PATH /app/backup.sh /app/data /tmp/b 1; echo "exit $?"; ls -A /tmp/b; /app/backup.sh /app/nope /tmp/b; echo "exit $?"',
        ),
      ),
      finish('backup.sh archives, rotates by the time in the name, and leaves nothing half done.'),
    ],
    partly: [
      ...look,
      say('The script.', writeFile('/app/backup.sh', draft), tryIt),
      say(
        'What about bad input?',
        terminal(
          '/app/backup.sh /app/nope /tmp/b; echo "exit $?"; /app/backup.sh /app/data /tmp/b 0; echo "exit $?"',
        ),
      ),
      finish('The backup script works and rotates.'),
    ],
    fails: [
      ...look,
      say(
        'Short and simple.',
        writeFile(
          '/app/backup.sh',
          '#!/bin/bash\ntar -czf $2/backup-$(date +%s).tar.gz $1\nls -t $2/* | tail -n +8 | xargs rm\n',
        ),
        terminal('/app/backup.sh /app/data /tmp/b'),
      ),
      say(
        'Not executable; bash can run it, though.',
        terminal('mkdir -p /tmp/b; bash /app/backup.sh /app/data /tmp/b; ls /tmp/b'),
      ),
      finish('Backups are made and old ones removed.'),
    ],
  },
};
