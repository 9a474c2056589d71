#!/bin/bash
cat > /app/csv-stats.sh <<'SCRIPT'
#!/bin/bash
# csv-stats.sh FILE COLUMN [GROUP]. Exit: 2 usage, 3 unreadable file, 4 no such column.
fail() { echo "csv-stats: $2" >&2; exit "$1"; }
[ $# -eq 2 ] || [ $# -eq 3 ] || fail 2 'usage: csv-stats.sh FILE COLUMN [GROUP]'
[ -f "$1" ] && [ -r "$1" ] || fail 3 "cannot read $1"

# First pass: one line per record, "column value \t group value"; the header is checked on the way.
extract() {
  COLUMN=$1 GROUP=$2 GROUPED=$3 LC_ALL=C awk '
    function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
    function finish(   i) {
      field[++n] = current; current = ""
      if (!header) {
        header = 1
        for (i = n; i >= 1; i--) { if (field[i] == ENVIRON["COLUMN"]) c = i; if (field[i] == ENVIRON["GROUP"]) g = i }
        if (!c || (ENVIRON["GROUPED"] && !g)) exit 4
      } else print trim(c <= n ? field[c] : "") "\t" (g && g <= n ? trim(field[g]) : "")
      n = 0; split("", field)
    }
    {
      line = $0
      if (!quoted && (line == "" || line == "\r")) next
      if (quoted) current = current "\n"
      for (i = 1; i <= length(line); i++) {
        ch = substr(line, i, 1)
        if (quoted) {
          if (ch != "\"") current = current ch
          else if (substr(line, i + 1, 1) == "\"") { current = current "\""; i++ }
          else quoted = 0
        }
        else if (ch == "\"") quoted = 1
        else if (ch == ",") { field[++n] = current; current = "" }
        else if (ch == "\r" && i == length(line)) continue
        else current = current ch
      }
      if (!quoted) finish()
    }
    END { if (!header) exit 4 }' "$4"
}

values=$(mktemp)
trap 'rm -f "$values"' EXIT
extract "$2" "${3-}" "$(($# == 3))" "$1" > "$values" || fail 4 "no such column in $1: $2${3+ or $3}"

number='^[+-]?[0-9]+([.][0-9]+)?$'
if [ $# -eq 3 ]; then
  LC_ALL=C awk -F'\t' -v number="$number" '$1 ~ number { k = $2 == "" ? "(none)" : $2; n[k]++; s[k] += $1 }
    END { for (k in n) printf "%s\t%d\t%.2f\t%.2f\n", k, n[k], s[k], s[k] / n[k] }' "$values" | LC_ALL=C sort -t"$(printf '\t')" -k1,1
  exit 0
fi
missing=$(cut -f1 "$values" | grep -c '^$')
invalid=$(cut -f1 "$values" | grep -v '^$' | grep -cvE "$number")
cut -f1 "$values" | grep -E "$number" | LC_ALL=C sort -g | awk -v missing="$missing" -v invalid="$invalid" '
  { v[NR] = $1; s += $1 }
  END {
    printf "count %d\nmissing %d\ninvalid %d\nsum %.2f\n", NR, missing, invalid, s
    if (!NR) { print "min -\nmax -\nmean -\nmedian -"; exit }
    m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
    printf "min %.2f\nmax %.2f\nmean %.2f\nmedian %.2f\n", v[1], v[NR], s / NR, m
  }'
SCRIPT
chmod +x /app/csv-stats.sh
/app/csv-stats.sh /app/data/sales.csv amount > /app/amount.txt
/app/csv-stats.sh /app/data/sales.csv amount region > /app/by-region.tsv
