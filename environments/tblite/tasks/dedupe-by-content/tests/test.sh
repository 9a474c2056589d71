#!/bin/bash
# The archive afterwards, down to times and links, and the manifest. All or nothing: a lost file is lost.
# No `set -e`: whatever the answer looks like, a reward has to be written.
failures=0

check() {
  local what=$1
  shift
  if "$@"; then
    echo "ok   $what"
  else
    echo "FAIL $what"
    failures=$((failures + 1))
  fi
}

# shows <expected file> <command...>: its output is that file, else the difference is printed.
shows() {
  local expected=$1
  shift
  "$@" 2>&1 | diff "$expected" -
}

kept_files() {
  cd /app/archive && find . -type f -printf '%P\0' | LC_ALL=C sort -z | while IFS= read -r -d '' path; do
    printf '%s\t%s\t%s\n' "$(sha256sum < "$path" | cut -c1-16)" "$(stat -c %Y -- "$path")" "$path"
  done
}

directories() {
  cd /app/archive && find . -mindepth 1 -type d -printf '%P\n' | LC_ALL=C sort
}

other_entries() {
  cd /app/archive && find . ! -type f ! -type d -printf '%y %P\n' | LC_ALL=C sort
}

# points <link> <target>: resolves to that file, by a relative target.
points() {
  local link=/app/archive/$1
  case $(readlink "$link") in /*) return 1 ;; esac
  [ "$(readlink -m "$link")" = "/app/archive/$2" ]
}

if [ ! -f /app/removed.tsv ]; then
  echo 'FAIL /app/removed.tsv is missing'
  failures=1
else
  check 'the manifest names each deleted file and the one kept' shows /tests/removed.tsv cat /app/removed.tsv
  check 'the right files are left, with content and times' shows /tests/kept.tsv kept_files
  check 'directories emptied by the deletions are gone, others stay' shows /tests/directories.txt directories
  check 'no link was added or lost' shows /tests/links.txt other_entries
  check 'the link to a deleted file points to the kept one' points 2019/favourite.raw 2019/may/IMG_0412.raw
  check 'other links are as they were' eval \
    '[ "$(readlink /app/archive/tables/current.txt)" = one.txt ] &&
     [ "$(readlink /app/archive/b/dangling.raw)" = nowhere.raw ] &&
     [ "$(readlink /app/archive/notes/stick)" = "../usb stick" ]'
fi

mkdir -p /logs/verifier
if [ "$failures" -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
