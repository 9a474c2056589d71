# Takes size and name for content, and touches the times of what stays.
cd /app/archive || exit
find . -type f -size +0c -printf '%s\t%P\n' | LC_ALL=C sort | awk -F'\t' '
  $1 in kept { print $2 "\t" kept[$1]; next } { kept[$1] = $2 }' | LC_ALL=C sort > /app/removed.tsv
cut -f1 /app/removed.tsv | while IFS= read -r f; do rm -- "./$f"; done
find . -type f -exec touch {} +
