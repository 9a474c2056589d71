#!/bin/bash
set -eu
export LC_ALL=C
cd /app/archive

# Tab-separated: hash, time, path; per hash the first is kept. Sorted, so the oldest comes first.
find . -type f -size +0c -printf '%T@\t%P\n' | while IFS=$'\t' read -r time path; do
  printf '%s\t%s\t%s\n' "$(sha256sum < "$path" | cut -d' ' -f1)" "$time" "$path"
done | sort -t"$(printf '\t')" -k1,1 -k2,2n -k3 |
  awk -F'\t' '$1 == last { print $3 "\t" kept; next } { last = $1; kept = $3 }' | sort > /app/removed.tsv

# Links first, while their targets still resolve.
find . -type l -print0 | while IFS= read -r -d '' link; do
  target=$(realpath -m --relative-to=. -- "$(dirname "$link")/$(readlink "$link")")
  kept=$(target=$target awk -F'\t' '$1 == ENVIRON["target"] { print $2 }' /app/removed.tsv)
  if [ -n "$kept" ]; then
    ln -sfnr -- "$kept" "$link"
  fi
done

while IFS=$'\t' read -r path _; do
  rm -f -- "./$path"
done < /app/removed.tsv
while IFS=$'\t' read -r path _; do
  dir=$(dirname "./$path")
  while [ "$dir" != . ] && [ -d "$dir" ] && rmdir -- "$dir" 2>/dev/null; do dir=$(dirname "$dir"); done
done < /app/removed.tsv
