# Splits at every comma.
cat > /app/csv-stats.sh <<'SCRIPT'
#!/bin/bash
[ $# -ge 2 ] && [ $# -le 3 ] || { echo usage >&2; exit 2; }
[ -r "$1" ] || { echo 'cannot read' >&2; exit 3; }
c=$(head -n 1 "$1" | tr ',' '\n' | grep -nxF -- "$2" | cut -d: -f1)
[ -n "$c" ] || { echo 'no column' >&2; exit 4; }
awk -F, -v c="$c" 'NR > 1 && $c ~ /^[+-]?[0-9]+(\.[0-9]+)?$/ { n++; s += $c; v[n] = $c; if (n == 1 || $c < lo) lo = $c; if (n == 1 || $c > hi) hi = $c; next }
  NR > 1 && $c == "" { m++; next } NR > 1 { b++ }
  END { printf "count %d\nmissing %d\ninvalid %d\nsum %.2f\nmin %.2f\nmax %.2f\nmean %.2f\nmedian %.2f\n", n, m, b, s, lo, hi, n ? s / n : 0, v[int((n + 1) / 2)] }' "$1"
SCRIPT
chmod +x /app/csv-stats.sh
/app/csv-stats.sh /app/data/sales.csv amount > /app/amount.txt
/app/csv-stats.sh /app/data/sales.csv amount region > /app/by-region.tsv
