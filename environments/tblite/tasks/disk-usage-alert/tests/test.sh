#!/bin/bash
# Runs the script with a df of our own in front of PATH; partial credit by behaviour.
# No `set -e`: whatever the answer looks like, a reward has to be written.
passed=0
total=0
mkdir -p /tmp/bin
cp /tests/df /tmp/bin/df
chmod 755 /tmp/bin/df

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

# run <df output> [NAME=value...]: exit code in $status, output in /tmp/out and /tmp/err, a fresh log in $log.
run() {
  local output=$1
  shift
  work=$(mktemp -d)
  log=$work/new/dir/alerts.log
  : > /tmp/df-calls
  (cd "$work" && env PATH="/tmp/bin:$PATH" DF_OUTPUT="/tests/$output" ALERT_LOG="$log" "$@" \
    timeout 10 /app/disk-alert.sh > /tmp/out 2> /tmp/err < /dev/null)
  status=$?
}

log_matches() {
  [ -f "$log" ] && ! grep -qvE '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z ' "$log" &&
    cut -c22- "$log" | cmp -s - "$1"
}

alerts_are_right() {
  run mixed.txt
  [ "$status" -eq 1 ] && cmp -s /tests/mixed-alerts.txt /tmp/out
}

appends_to_the_log() {
  run mixed.txt
  log_matches /tests/mixed-alerts.txt || return 1
  local first=$log
  run mixed.txt ALERT_LOG="$first"
  cat /tests/mixed-alerts.txt /tests/mixed-alerts.txt > /tmp/twice
  log=$first
  log_matches /tmp/twice
}

is_calm() {
  run calm.txt
  [ "$status" -eq 0 ] && [ ! -s /tmp/out ] && [ ! -e "$work/new" ] && [ "$(sort -u /tmp/df-calls)" = -P ]
}

obeys_threshold() {
  run mixed.txt THRESHOLD=8
  [ "$status" -eq 1 ] && cmp -s /tests/mixed-alerts-8.txt /tmp/out || return 1
  run mixed.txt THRESHOLD=100
  [ "$status" -eq 0 ] && [ ! -s /tmp/out ] || return 1
  run mixed.txt THRESHOLD=
  [ "$status" -eq 1 ] && cmp -s /tests/mixed-alerts.txt /tmp/out
}

refuses_bad_threshold() {
  local bad
  for bad in ninety 101 -5 90.5 '90 ' 90%; do
    run mixed.txt THRESHOLD="$bad"
    [ "$status" -eq 2 ] && [ -s /tmp/err ] && [ ! -s /tmp/out ] && [ ! -s /tmp/df-calls ] && [ ! -e "$work/new" ] ||
      return 1
  done
}

reports_failing_df() {
  run mixed.txt DF_EXIT=1
  [ "$status" -eq 3 ] && [ -s /tmp/err ] && [ ! -s /tmp/out ] && [ ! -e "$work/new" ]
}

default_log() {
  rm -rf /app/alerts.log
  run mixed.txt ALERT_LOG=
  log=/app/alerts.log
  log_matches /tests/mixed-alerts.txt
}

if [ -f /app/disk-alert.sh ] && [ -x /app/disk-alert.sh ]; then
  check 'alerts on standard output and exit code 1' alerts_are_right
  check 'the log is made and appended to, with times' appends_to_the_log
  check 'no alerts: exit code 0, no output, no log' is_calm
  check 'THRESHOLD is obeyed, empty means 90' obeys_threshold
  check 'a bad THRESHOLD is refused with 2' refuses_bad_threshold
  check 'a failing df is reported with 3' reports_failing_df
  check 'without ALERT_LOG the log is /app/alerts.log' default_log
else
  total=1
  echo 'FAIL /app/disk-alert.sh is missing or not executable'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", p / t }' > /logs/verifier/reward.json
