import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'A look at the data.',
    terminal('head -20 /app/data/sales.csv; wc -l /app/data/sales.csv; od -c /app/data/sales.csv | tail -3'),
  ),
  say('This would be easy with a real parser.', terminal('python3 --version || gawk --version')),
];

const wrapper = `#!/bin/bash
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "usage: csv-stats.sh FILE COLUMN [GROUP]" >&2
  exit 2
fi
if [ ! -f "$1" ] || [ ! -r "$1" ]; then
  echo "csv-stats: cannot read $1" >&2
  exit 3
fi
export LC_ALL=C COLUMN="$2" GROUP="$3" ARGS=$#
awk -f /app/csv-stats.awk < "$1"
`;

const parser = String.raw`function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }

function record(   k, v, g) {
  f[++nf] = cur
  cur = ""
  if (!seen) {
    seen = 1
    for (k = nf; k > 0; k--) {
      if (f[k] == ENVIRON["COLUMN"]) col = k
      if (f[k] == ENVIRON["GROUP"]) grp = k
    }
    if (!col || (grouped && !grp)) exit 4
  } else {
    v = col <= nf ? trim(f[col]) : ""
    g = grouped && grp <= nf ? trim(f[grp]) : ""
    if (g == "") g = "(none)"
    if (v == "") missing++
    else if (v !~ /^[+-]?[0-9]+(\.[0-9]+)?$/) invalid++
    else { val[++n] = v + 0; sum += v; gn[g]++; gs[g] += v }
  }
  nf = 0
}

BEGIN { grouped = ENVIRON["ARGS"] == 3 }

{
  if (inq) cur = cur "\n"
  else if ($0 == "" || $0 == "\r") next
  len = length($0)
  for (i = 1; i <= len; i++) {
    c = substr($0, i, 1)
    if (inq && c == "\"" && substr($0, i + 1, 1) == "\"") { cur = cur c; i++ }
    else if (c == "\"") inq = !inq
    else if (!inq && c == ",") { f[++nf] = cur; cur = "" }
    else if (!inq && c == "\r" && i == len) continue
    else cur = cur c
  }
  if (!inq) record()
}

END {
  if (!seen || !col || (grouped && !grp)) {
    print "csv-stats: no such column" > "/dev/stderr"
    exit 4
  }
  if (grouped) {
    for (g in gn) printf "%s\t%d\t%.2f\t%.2f\n", g, gn[g], gs[g], gs[g] / gn[g] | "sort"
    exit
  }
  printf "count %d\nmissing %d\ninvalid %d\nsum %.2f\n", n, missing, invalid, sum
  if (!n) { print "min -\nmax -\nmean -\nmedian -"; exit }
  asort(val)
  printf "min %.2f\nmax %.2f\nmean %.2f\n", val[1], val[n], sum / n
  printf "median %.2f\n", (val[int((n + 1) / 2)] + val[int(n / 2) + 1]) / 2
}
`;

const insertion = `  for (i = 2; i <= n; i++) {
    x = val[i]
    for (j = i - 1; j > 0 && val[j] > x; j--) val[j + 1] = val[j]
    val[j + 1] = x
  }
`;

const simple = String.raw`#!/bin/bash
col=$(head -n 1 "$1" | tr ',' '\n' | grep -nx "$2" | cut -d: -f1)
tail -n +2 "$1" | cut -d, -f"$col" > /tmp/col
grep -xE '[+-]?[0-9]+(\.[0-9]+)?' /tmp/col | sort -n > /tmp/valid
echo "count $(wc -l < /tmp/valid)"
echo "missing $(grep -c '^$' /tmp/col)"
echo "invalid $(grep -v '^$' /tmp/col | grep -cvxE '[+-]?[0-9]+(\.[0-9]+)?')"
awk '{ v[NR] = $1; s += $1 } END { printf "sum %.2f\nmin %.2f\nmax %.2f\nmean %.2f\nmedian %.2f\n", s, v[1], v[NR], s / NR, v[int((NR + 1) / 2)] }' /tmp/valid
`;

const answers = terminal(
  'chmod +x /app/csv-stats.sh; cd /app && ./csv-stats.sh data/sales.csv amount > amount.txt; ./csv-stats.sh data/sales.csv amount region > by-region.tsv; cat amount.txt by-region.tsv',
);

export const csvStatistics: TaskScript = {
  recognise: 'parses a CSV file and prints statistics of one numeric column',
  variants: {
    solves: [
      ...look,
      say(
        'Only awk, then: a parser that goes through the characters, and a wrapper.',
        writeFile('/app/csv-stats.sh', wrapper),
        writeFile('/app/csv-stats.awk', parser),
        answers,
      ),
      think(
        'mawk has no asort; that is gawk. Sixty values: an insertion sort is enough.',
        'asort is a function of gawk. I sort by hand.',
        patch('/app/csv-stats.awk', '  asort(val)\n', insertion),
        answers,
      ),
      say('A file with everything unpleasant in it.', mistaken('terminal', { cmd: 'printf x' })),
      say(
        'The parameter is `command`.',
        terminal(
          String.raw`printf '"a ""b""",g\r\n" 1 ",x\r\n"2\n3",y\r\n-4.5,"p, q"' > /tmp/t.csv; /app/csv-stats.sh /tmp/t.csv 'a "b"'; /app/csv-stats.sh /tmp/t.csv 'a "b"' g; /app/csv-stats.sh /tmp/t.csv nope; echo "exit $?"`,
        ),
      ),
      finish('csv-stats.sh parses quoted fields, and both answers are written.'),
    ],
    partly: [
      ...look,
      say('cut and sort go a long way.', writeFile('/app/csv-stats.sh', simple), answers),
      say(
        'Does it hold for a simple file?',
        terminal("printf 'k,v\\na,10\\nb,x\\nb,\\n' > /tmp/s.csv; /app/csv-stats.sh /tmp/s.csv v"),
      ),
      finish('The script prints the statistics.'),
    ],
    fails: [
      ...look,
      say('Perl is here. With a CSV module?', terminal('perl -MText::CSV -e 1')),
      say(
        'No module either. Summing roughly.',
        terminal(
          'cut -d, -f4 /app/data/sales.csv | awk \'{ s += $1 } END { print "sum", s }\' > /app/amount.txt; cat /app/amount.txt',
        ),
      ),
      finish('Without a CSV library the script cannot be written; amount.txt has the sum.'),
    ],
  },
};
