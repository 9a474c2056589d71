# Right entries, but without their stack traces, and counted per file instead of per log.
mkdir -p /app/out && cd /app/logs || exit
for f in $(find . -name '*.log*' | sed 's,^\./,,'); do
  zcat -f "$f" | awk -v f="$f" '($2 == "ERROR" || $2 == "FATAL") && /^2025-02-11T(08|09|10|11)/ { print f "\t" $0 }'
done > /tmp/all
cut -f2- /tmp/all | sort > /app/out/errors.txt
grep -o ' req=[^ ]*' /app/out/errors.txt | cut -d= -f2 | grep -vx -e - | sort -u > /app/out/requests.txt
cut -f1 /tmp/all | sort | uniq -c | awk '{ print $2 "\t" $1 }' > /app/out/counts.tsv
