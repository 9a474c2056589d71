#!/bin/bash
set -eu
mkdir -p /app/out
cd /app/logs

# One line per entry: time, log, request id, then the entry with its line ends as \001.
find . -type f -name '*.log*' | sed 's,^\./,,' | while IFS= read -r file; do
  log=${file%%.log*}.log
  case $file in *.gz) zcat "$file" ;; *) cat "$file" ;; esac | awk -v log_name="$log" '
    function flush() { if (entry != "") print time "\t" log_name "\t" id "\t" entry; entry = "" }
    /^[ \t]/ { if (entry != "") entry = entry "\001" $0; next }
    {
      flush()
      if (($2 == "ERROR" || $2 == "FATAL") && $1 >= "2025-02-11T08:00:00.000Z" && $1 < "2025-02-11T12:00:00.000Z") {
        time = $1; id = substr($4, 5); entry = $0
      }
    }
    END { flush() }'
done | LC_ALL=C sort > /tmp/entries

cut -f4- /tmp/entries | tr '\001' '\n' > /app/out/errors.txt
cut -f3 /tmp/entries | grep -vx -e - | LC_ALL=C sort -u > /app/out/requests.txt
cut -f2 /tmp/entries | LC_ALL=C sort | uniq -c | awk '{ print $2 "\t" $1 }' > /app/out/counts.tsv
