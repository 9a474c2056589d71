# Takes the lower of the two middle values as the median, and has no exit codes.
cat > /app/csv-stats.sh <<'SCRIPT'
#!/bin/bash
c=$(head -n 1 "$1" | tr -d '\r' | tr ',' '\n' | grep -nxF -- "$2" | cut -d: -f1)
awk -v c="$c" '
  { line = line (line == "" ? "" : "\n") $0; t = line; if (gsub(/"/, "", t) % 2) next
    if (line != "") { n = 0; f = ""; q = 0
      for (i = 1; i <= length(line) + 1; i++) { ch = substr(line, i, 1)
        if (ch == "\"") q = !q; else if ((ch == "," && !q) || ch == "") { F[++n] = f; f = "" } else f = f ch }
      if (rows++) { v = n < c ? "" : F[c]; gsub(/^ +| +$/, "", v); print v == "" ? "-" : v } }
    line = "" }' "$1" > /tmp/values
awk '$0 == "-"' /tmp/values > /tmp/missing
grep -E '^[+-]?[0-9]+(\.[0-9]+)?$' /tmp/values | sort -n > /tmp/good
echo "count $(wc -l < /tmp/good)"
echo "missing $(wc -l < /tmp/missing)"
echo "invalid $(($(wc -l < /tmp/values) - $(wc -l < /tmp/good) - $(wc -l < /tmp/missing)))"
awk '{ v[NR] = $1; s += $1 } END { printf "sum %.2f\nmin %.2f\nmax %.2f\nmean %.2f\nmedian %.2f\n", s, v[1], v[NR], NR ? s / NR : 0, v[int((NR + 1) / 2)] }' /tmp/good
SCRIPT
chmod +x /app/csv-stats.sh
/app/csv-stats.sh /app/data/sales.csv amount > /app/amount.txt
