#!/bin/bash
# Runs the wrapper with a sleep and a command of our own. All or nothing: nightly jobs rely on each of these.
# No `set -e`: whatever the answer looks like, a reward has to be written.
failures=0
mkdir -p /tmp/bin
cp /tests/sleep /tests/probe /tmp/bin/
chmod 755 /tmp/bin/*

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

# run <exit codes of the command> <arguments of retry.sh...>: a fresh $BOX; status in $status.
run() {
  export BOX
  BOX=$(mktemp -d)
  local codes=$1
  shift
  printf 'first\000second\n  third' > "$BOX/stdin"
  CODES=$codes PATH="/tmp/bin:$PATH" timeout 10 /app/retry.sh "$@" < "$BOX/stdin" > "$BOX/out" 2> "$BOX/err"
  status=$?
}

# left <status> <calls> <seconds slept, space separated>
left() {
  [ "$status" -eq "$1" ] && [ "$(cat "$BOX/calls" 2>/dev/null || echo 0)" -eq "$2" ] &&
    [ "$(cat "$BOX/slept" 2>/dev/null | tr '\n' ' ')" = "${3:+$3 }" ]
}

says() {
  grep '^retry: ' "$BOX/err" | diff <(printf '%s\n' "$@") -
}

succeeds_at_once() { run '0' probe && left 0 1 '' && [ "$(cat "$BOX/err")" = 'err 1' ]; }

backs_off() {
  run '7 8 9 0' probe
  left 0 4 '1 2 4' && says 'retry: attempt 1 of 5 failed (exit 7), next in 1 s' \
    'retry: attempt 2 of 5 failed (exit 8), next in 2 s' 'retry: attempt 3 of 5 failed (exit 9), next in 4 s' &&
    [ "$(tr '\n' ' ' < "$BOX/out")" = 'out 1 out 2 out 3 out 4 ' ] && [ "$(grep -c '^err' "$BOX/err")" -eq 4 ]
}

gives_up() {
  run '1 1 1 1 42 0' probe
  left 42 5 '1 2 4 8' || return 1
  run '9 0' -n 1 -- probe
  left 9 1 '' && says 'retry: giving up after 1 attempts (exit 9)'
}

caps_the_delay() {
  run '1 1 1 1 1 0' -n 6 -d 5 -m 12 probe
  left 0 6 '5 10 12 12 12' || return 1
  run '1 1 0' -d 30 -m 4 probe
  left 0 3 '4 4' || return 1
  run '1 1 0' -d 0 probe
  left 0 3 '0 0'
}

stops_at_final_codes() {
  run '1 3 0' -x 64,3 probe
  left 3 2 1 && says 'retry: attempt 1 of 5 failed (exit 1), next in 1 s' 'retry: exit 3 is final' || return 1
  run '33 4 0' -x 3,4 probe
  left 4 2 1 || return 1
  run '2 5' -n 2 -x 5 probe
  left 5 2 1 && says 'retry: attempt 1 of 2 failed (exit 2), next in 1 s' 'retry: exit 5 is final' || return 1
  run '' no-such-command-anywhere
  left 127 0 '' && says 'retry: exit 127 is final' || return 1
  run '' /tmp
  left 126 0 '' && says 'retry: exit 126 is final'
}

keeps_arguments() {
  run '1 0' -- probe 'two words' '' '*' -n --x '$HOME' 'a"b'
  left 0 2 1 || return 1
  printf '<two words><><*><-n><--x><$HOME><a"b>\n%.0s' 1 2 | diff - "$BOX/arguments"
}

repeats_input() {
  run '1 1 0' probe
  left 0 3 '1 2' && cmp "$BOX/stdin" "$BOX/input.2" && cmp "$BOX/stdin" "$BOX/input.3"
}

numbers_attempts() { run '1 1 0' probe && [ "$(tr '\n' ' ' < "$BOX/attempts")" = '1 2 3 ' ]; }

refuses() {
  run '0' "$@"
  left 64 0 '' && [ ! -s "$BOX/out" ] && head -n 1 "$BOX/err" | grep -q '^retry: '
}

refuses_bad_usage() {
  refuses && refuses -n 3 && refuses -n && refuses -n 0 probe && refuses -n two probe && refuses -d -1 probe &&
    refuses -m 1.5 probe && refuses -x 3,a probe && refuses -q probe && refuses --
}

if [ -f /app/retry.sh ] && [ -x /app/retry.sh ]; then
  check 'a command that succeeds runs once' succeeds_at_once
  check 'delays double and failures are told' backs_off
  check 'it gives up with the last exit code' gives_up
  check 'the delay is capped' caps_the_delay
  check 'final exit codes end it' stops_at_final_codes
  check 'arguments arrive as given' keeps_arguments
  check 'every attempt gets the whole input' repeats_input
  check 'RETRY_ATTEMPT counts' numbers_attempts
  check 'usage errors exit with 64 and run nothing' refuses_bad_usage
else
  failures=1
  echo 'FAIL /app/retry.sh is missing or not executable'
fi

mkdir -p /logs/verifier
if [ "$failures" -eq 0 ]; then echo 1.0; else echo 0.0; fi > /logs/verifier/reward.txt
