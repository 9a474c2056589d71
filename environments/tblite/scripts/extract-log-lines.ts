import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, say, searchFiles, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'What is there?',
    terminal(
      'cd /app/logs && find . -type f | sort && head -5 gateway.log && zcat gateway.log.2.gz | head -3',
    ),
  ),
  say('Lines with these levels:', mistaken('search_files', { path: '/app/logs' })),
  say('The pattern was missing.', searchFiles('^[^ ]+ (ERROR|FATAL) ', '/app/logs')),
];

const extract = String.raw`cd /app/logs || exit 1
mkdir -p /app/out
find . -type f -name '*.log*' | while read -r file; do
  file=$(echo "$file" | sed 's,^\./,,')
  log=$(echo "$file" | sed 's/\.log.*/.log/')
  zcat -f "$file" | awk -v log="$log" '
    /^[ \t]/ { if (keep) print t "\t" ++n "\t" log "\t" id "\t" $0; next }
    {
      keep = ($2 == "ERROR" || $2 == "FATAL") && $1 >= "2025-02-11T08:00" && $1 < "2025-02-11T12:00"
      t = $1; n = 0; id = substr($4, 5)
      if (keep) print t "\t0\t" log "\t" id "\t" $0
    }'
done | LC_ALL=C sort -t "$(printf '\t')" -k1,1 -k2,2n > /tmp/all
cut -f5- /tmp/all > /app/out/errors.txt
awk -F '\t' '$2 == 0 && $4 != "-" { print $4 }' /tmp/all | LC_ALL=C sort -u > /app/out/requests.txt
awk -F '\t' '$2 == 0 { print $3 }' /tmp/all | LC_ALL=C sort | uniq -c | awk '{ print $2 "\t" $1 }' > /app/out/counts.tsv
`;

const run = terminal('bash /tmp/extract.sh; wc -l /app/out/*; cat /app/out/counts.tsv');

export const extractLogLines: TaskScript = {
  recognise: "The logs of last Tuesday's incident",
  variants: {
    solves: [
      ...look,
      say(
        'Each line gets its time and place in front, then everything is sorted.',
        writeFile('/tmp/extract.sh', extract),
        run,
      ),
      think(
        'awk refuses: log is the name of a function.',
        '`log` is a function of awk. Another name, then.',
        terminal(
          String.raw`sed -i 's/-v log="\$log"/-v name="$log"/; s/"\\t" log "\\t"/"\\t" name "\\t"/; s/"\\t0\\t" log/"\\t0\\t" name/' /tmp/extract.sh && grep -n name /tmp/extract.sh`,
        ),
        run,
      ),
      say(
        'A look at the result, with the edges of the window.',
        terminal('head -4 /app/out/errors.txt; tail -2 /app/out/errors.txt; head -3 /app/out/requests.txt'),
      ),
      finish('Entries, request ids and counts are in /app/out.'),
    ],
    partly: [
      ...look,
      say(
        'Entries of the window, from all parts, sorted.',
        writeFile(
          '/tmp/extract.sh',
          `mkdir -p /app/out && cd /app/logs
find . -name '*.log*' -exec zcat -f {} + | grep -E '^2025-02-11T(08|09|10|11):[^ ]+ (ERROR|FATAL) ' | sort > /app/out/errors.txt
`,
        ),
        terminal('sh /tmp/extract.sh; wc -l /app/out/errors.txt'),
      ),
      say(
        'Now the ids and the counts.',
        terminal(
          String.raw`cd /app/out && awk '{ print substr($4, 5) }' errors.txt | grep -v '^-$' | LC_ALL=C sort -u > requests.txt; for l in billing/worker edge/eu/cache gateway; do printf '%s.log\t%s\n' $l "$(zcat -f /app/logs/$l.log* | grep -cE '^2025-02-11T(08|09|10|11):[^ ]+ (ERROR|FATAL) ')"; done > counts.tsv; cat counts.tsv`,
        ),
      ),
      finish('Extracted the entries, the ids and the counts.'),
    ],
    fails: [
      ...look,
      say(
        'grep does it.',
        terminal(
          "mkdir -p /app/out && grep -rhE 'ERROR|FATAL' /app/logs > /app/out/errors.txt; wc -l /app/out/errors.txt",
        ),
      ),
      say('Ids of those.', patch('/app/out/requests.txt', 'x', 'y')),
      say(
        'There is no such file yet.',
        terminal(
          "grep -o 'req=[0-9a-f]*' /app/out/errors.txt | sort -u > /app/out/requests.txt; wc -l < /app/out/requests.txt > /app/out/counts.tsv",
        ),
      ),
      finish('Found all errors.'),
    ],
  },
};
