#!/bin/bash
# The findings of the given copy, and the script on copies that the agent has not seen; partial credit by finding.
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

# Homes are made here: a copy for each run, so that nothing the script does carries over.
copy() {
  rm -rf "/tmp/$1" && cp -r "/tests/$1" "/tmp/$1" && mkdir -p "/tmp/$1/home/sam" "/tmp/$1/home/user1" "/tmp/$1/home/User 2" "/tmp/$1/srv"
  ln -s /srv "/tmp/$1/home/user4"
}

run() { timeout 10 /app/audit.sh "$@" > /tmp/out 2> /tmp/err < /dev/null; }

answers_other() { [ "$other_status" -eq 1 ] && diff /tests/other.tsv /tmp/other.out; }

# reports <finding>: exactly the lines that it should.
reports() {
  [ -s /tmp/other.out ] && diff <(awk -F'\t' -v f="$1" '$2 == f' /tests/other.tsv | LC_ALL=C sort) \
    <(awk -F'\t' -v f="$1" '$2 == f' /tmp/other.out | LC_ALL=C sort)
}

accepts_clean() {
  copy clean
  run /tmp/clean
  [ $? -eq 0 ] && [ ! -s /tmp/out ]
}

refuses() {
  run "$@"
  [ $? -eq 2 ] && [ ! -s /tmp/out ] && [ -s /tmp/err ]
}

refuses_incomplete() {
  local file
  refuses && refuses /tmp/nowhere || return 1
  for file in passwd shadow shells; do
    copy clean
    rm "/tmp/clean/etc/$file"
    refuses /tmp/clean || return 1
  done
}

changes_nothing() {
  copy other
  run /tmp/other
  [ -s /tmp/out ] && diff -r /tests/other/etc /tmp/other/etc && [ -d /tmp/other/home/user1 ] && [ "$(find /tmp/other | wc -l)" -eq 11 ]
}

check '/app/findings.tsv' eval '[ -f /app/findings.tsv ] && diff /tests/findings.tsv /app/findings.tsv'
if [ -f /app/audit.sh ] && [ -x /app/audit.sh ]; then
  copy other
  run /tmp/other
  other_status=$?
  cp /tmp/out /tmp/other.out
  check 'another copy: everything, in order, exit code 1' answers_other
  for finding in uid0 duplicate-uid no-shadow empty-password weak-hash system-shell unknown-shell no-home malformed; do
    check "another copy: $finding" reports "$finding"
  done
  check 'a clean copy: no output, exit code 0' accepts_clean
  check 'an incomplete copy is refused with 2' refuses_incomplete
  check 'nothing is changed' changes_nothing
else
  total=14
  echo 'FAIL /app/audit.sh is missing or not executable'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", p / t }' > /logs/verifier/reward.json
