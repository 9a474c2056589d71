# Gets the files right, but breaks the link and removes directories that were empty before.
cd /app/archive || exit
find . -type f -size +0c -printf '%T@\t%P\n' | while IFS=$'\t' read -r t f; do
  printf '%s\t%s\t%s\n' "$(sha256sum < "$f")" "$t" "$f"
done | LC_ALL=C sort -t$'\t' -k1,1 -k2,2n -k3 | awk -F'\t' '$1 in kept { print $3 "\t" kept[$1]; next } { kept[$1] = $3 }' |
  LC_ALL=C sort > /app/removed.tsv
cut -f1 /app/removed.tsv | while IFS= read -r f; do rm -- "./$f"; done
find . -type d -empty -delete
