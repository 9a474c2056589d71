#!/bin/bash
# The two answers and the script on files that the agent has not seen; partial credit.
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

answer() {
  [ -f "/app/$1" ] && diff "/tests/expected/$1" "/app/$1"
}

# prints <expected file> <arguments...>: that output and exit code 0.
prints() {
  local expected=$1
  shift
  timeout 10 /app/csv-stats.sh "$@" > /tmp/out 2> /tmp/err < /dev/null
  [ $? -eq 0 ] && diff "/tests/expected/$expected" /tmp/out
}

# refuses <exit code> <arguments...>: that code, a message, no output.
refuses() {
  local status=$1
  shift
  timeout 10 /app/csv-stats.sh "$@" > /tmp/out 2> /tmp/err < /dev/null
  [ $? -eq "$status" ] && [ -s /tmp/err ] && [ ! -s /tmp/out ]
}

refuses_all() {
  refuses 2 && refuses 2 /tests/small.csv && refuses 2 /tests/small.csv v k extra &&
    refuses 3 /tmp/nowhere.csv v && refuses 4 /tests/small.csv w && refuses 4 /tests/small.csv v w &&
    refuses 4 /tests/small.csv 2 && refuses 4 /tmp/empty.csv v
}

: > /tmp/empty.csv
check '/app/amount.txt' answer amount.txt
check '/app/by-region.tsv' answer by-region.tsv
if [ -f /app/csv-stats.sh ] && [ -x /app/csv-stats.sh ]; then
  check 'a simple file' prints small.txt /tests/small.csv v
  check 'a file without values' prints novalues.txt /tests/novalues.csv v
  check 'quotes, line breaks and CRLF' prints tricky.txt /tests/tricky.csv 'depth "z"'
  check 'the same, grouped' prints tricky-by-site.tsv /tests/tricky.csv 'depth "z"' site
  check 'errors have their exit codes' refuses_all
else
  total=7
  echo 'FAIL /app/csv-stats.sh is missing or not executable'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "%.4f\n", p / t }' > /logs/verifier/reward.txt
