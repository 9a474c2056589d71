# Keeps the first path of each content instead of the oldest file.
cd /app/archive || exit
find . -type f -size +0c -printf '%P\n' | LC_ALL=C sort | while IFS= read -r f; do
  printf '%s\t%s\n' "$(sha256sum < "$f")" "$f"
done | awk -F'\t' '$1 in kept { print $2 "\t" kept[$1]; next } { kept[$1] = $2 }' > /app/removed.tsv
cut -f1 /app/removed.tsv | while IFS= read -r f; do rm -- "./$f"; done
find . -type d -empty ! -path './to sort*' -delete
