#!/bin/bash
# Runs the script on directories that the agent has not seen; partial credit by behaviour.
# No `set -e`: whatever the answer looks like, a reward has to be written.
passed=0
total=0

check() {
  local what=$1
  shift
  total=$((total + 1))
  if "$@"; then
    passed=$((passed + 1))
    echo "ok   $what"
  else
    echo "FAIL $what"
  fi
}

# Every check works in a directory of its own: $box, with a source and a destination with old backups.
new_box() {
  box=$(mktemp -d)
  src=$box/srv/shop/data
  dest=$box/backups
  mkdir -p "$src/a/.cache/deep" "$src/.cache" "$src/empty dir" "$src/x.tmp.d" "$dest"
  echo one > "$src/one file.txt"
  echo hidden > "$src/.hidden"
  echo two > "$src/a/two.tmp.txt"
  echo no > "$src/a/no.tmp"
  echo no > "$src/a/.cache/deep/no"
  echo no > "$src/.cache/no"
  local day
  for day in 01 02 03 04; do
    echo "old $day" > "$dest/backup-202501${day}T000000Z.tar.gz"
  done
  # The oldest by name is the newest by modification time.
  touch -d '2025-02-01T00:00:00Z' "$dest"/backup-*
  touch -d '2025-02-20T00:00:00Z' "$dest/backup-20250101T000000Z.tar.gz"
}

run() {
  (cd "$box" && timeout 10 /app/backup.sh "$@" > "$box/out" 2> "$box/err" < /dev/null)
  status=$?
}

names() {
  (cd "$dest" && find . -mindepth 1 -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ')
}

content_is_right() {
  new_box
  BACKUP_TIME=1741944600 run "$src/" "$dest/new/er"
  local archive=$dest/new/er/backup-20250314T093000Z.tar.gz
  [ "$status" -eq 0 ] && [ "$(tail -n 1 "$box/out")" = "$archive" ] && gzip -t "$archive" || return 1
  mkdir "$box/restored" && tar -xzf "$archive" -C "$box/restored" || return 1
  (cd "$box/restored" && find . -mindepth 1 | LC_ALL=C sort) > "$box/names"
  printf '%s\n' ./data ./data/.hidden ./data/a ./data/a/two.tmp.txt './data/empty dir' './data/one file.txt' \
    ./data/x.tmp.d | diff - "$box/names" && [ "$(cat "$box/restored/data/a/two.tmp.txt")" = two ]
}

keeps_the_newest() {
  new_box
  BACKUP_TIME=1741944600 run "$src" "$dest" 3
  [ "$status" -eq 0 ] && [ "$(names)" = \
    'backup-20250103T000000Z.tar.gz backup-20250104T000000Z.tar.gz backup-20250314T093000Z.tar.gz ' ]
}

keeps_seven_by_default() {
  new_box
  local i
  for i in 0 1 2 3 4; do
    BACKUP_TIME=$((1741944600 + i)) run "$src" "$dest"
    [ "$status" -eq 0 ] || return 1
  done
  [ "$(names | wc -w)" -eq 7 ] && [ ! -e "$dest/backup-20250102T000000Z.tar.gz" ] &&
    [ -e "$dest/backup-20250103T000000Z.tar.gz" ]
}

leaves_others_alone() {
  new_box
  mkdir "$dest/backup-20240101T000000Z.tar.gz" "$dest/sub"
  touch "$dest/backup-20240101T000000Z.tar.gz.sha256" "$dest/backup-2024.tar.gz" "$dest/my-backup-20240101T000000Z.tar.gz" \
    "$dest/sub/backup-20240101T000000Z.tar.gz" "$dest/notes.txt"
  BACKUP_TIME=1741944600 run "$src" "$dest" 1
  [ "$status" -eq 0 ] && [ "$(names)" = \
    "backup-2024.tar.gz backup-20240101T000000Z.tar.gz backup-20240101T000000Z.tar.gz.sha256 \
backup-20250314T093000Z.tar.gz my-backup-20240101T000000Z.tar.gz notes.txt sub sub/backup-20240101T000000Z.tar.gz " ]
}

uses_the_clock() {
  new_box
  local before after stamp
  before=$(date -u +%Y%m%dT%H%M%SZ)
  run "$src" "$dest" 1
  after=$(date -u +%Y%m%dT%H%M%SZ)
  stamp=$(names | sed 's/^backup-//; s/\.tar\.gz $//')
  [ "$status" -eq 0 ] && [[ ! $stamp < $before && ! $stamp > $after ]]
}

# errs <exit code> <names>: with a message, and the destination as it was.
errs() {
  [ "$status" -eq "$1" ] && [ -s "$box/err" ] && [ "$(names)" = "$2" ]
}

refuses_bad_input() {
  new_box
  local before
  before=$(names)
  run "$src"; errs 2 "$before" || return 1
  run "$src" "$dest" 3 4; errs 2 "$before" || return 1
  run "$src" "$dest" 0; errs 2 "$before" || return 1
  run "$src" "$dest" two; errs 2 "$before" || return 1
  run "$box/none" "$dest" 1; errs 3 "$before" || return 1
  run "$src/.hidden" "$box/made" 1; errs 3 "$before" && [ ! -e "$box/made" ] || return 1
  BACKUP_TIME=1735948800 run "$src" "$dest" 1
  errs 4 "$before" && [ "$(cat "$dest/backup-20250104T000000Z.tar.gz")" = 'old 04' ]
}

survives_a_failing_tar() {
  new_box
  local before
  before=$(names)
  mkdir "$box/bin" && cp /tests/tar "$box/bin/tar" && chmod 755 "$box/bin/tar"
  rm -f /tmp/seen-by-tar
  PATH="$box/bin:$PATH" WATCHED=$dest TAR_EXIT=2 BACKUP_TIME=1741944600 run "$src" "$dest" 1
  errs 5 "$before" && [ -s /tmp/seen-by-tar ] && ! grep -q 20250314 /tmp/seen-by-tar
}

if [ -f /app/backup.sh ] && [ -x /app/backup.sh ]; then
  check 'the archive holds what it should, under the right names' content_is_right
  check 'the newest KEEP stay, by the time in the name' keeps_the_newest
  check 'seven stay by default' keeps_seven_by_default
  check 'other files in DEST are left alone' leaves_others_alone
  check 'without BACKUP_TIME the name is the current time' uses_the_clock
  check 'bad input is refused and changes nothing' refuses_bad_input
  check 'a failing tar leaves nothing behind and rotates nothing away' survives_a_failing_tar
else
  total=1
  echo 'FAIL /app/backup.sh is missing or not executable'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "%.4f\n", p / t }' > /logs/verifier/reward.txt
