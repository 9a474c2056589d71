#!/bin/bash
# Reads the crontab as cron would and runs its command in cron's environment; partial credit.
# No `set -e`: whatever the answer looks like, a reward has to be written.
crontab=/app/rootfs/etc/cron.d/daily-report
log=/app/log/daily-report.log
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

# The lines cron would take as variables, and the others that are no comments.
variable='^[[:space:]]*[A-Za-z_][A-Za-z0-9_]*[[:space:]]*='
jobs() { grep -vE "^[[:space:]]*(#|$)" "$crontab" | grep -vE "$variable"; }

# value <name>: what cron makes of the variable: blanks and one pair of quotes around it are dropped.
value() {
  grep -E "^[[:space:]]*$1[[:space:]]*=" "$crontab" | tail -n 1 |
    sed -E 's/^[^=]*=[[:space:]]*//; s/[[:space:]]*$//; s/^"(.*)"$/\1/; s/^'\''(.*)'\''$/\1/'
}

file_is_fine() {
  [ "$(stat -c '%F %a' "$crontab")" = 'regular file 644' ] && [ "$(tail -c 1 "$crontab" | od -An -c | tr -d ' ')" = '\n' ] &&
    ! grep -q "$(printf '\r')" "$crontab"
}

one_job() { [ "$(jobs | wc -l)" -eq 1 ]; }

# field <n> of the job.
field() { jobs | head -n 1 | awk -v n="$1" '{ print $n }'; }

schedule_is_right() {
  one_job && [[ $(field 1) =~ ^0?30$ && $(field 2) =~ ^0?2$ ]] && [[ $(field 3) =~ ^\*(/1)?$ && $(field 4) =~ ^\*(/1)?$ ]] &&
    [[ $(field 5) =~ ^(\*|\*/1|0-6|0-7|1-7)$ ]]
}

user_is_right() { one_job && [ "$(field 6)" = reports ]; }

variables_are_set() {
  [ "$(value SHELL)" = /bin/sh ] && [ "$(value PATH)" = /usr/local/bin:/usr/bin:/bin ] &&
    [ "$(value MAILTO)" = ops@example.org ] && [ "$(value REPORT_ENV)" = production ]
}

# The command ends at the first % without a backslash; of the others the backslash goes.
command_of_cron() {
  jobs | head -n 1 | sed -E 's/^[[:space:]]*([^[:space:]]+[[:space:]]+){6}//' |
    awk '{ while (match($0, /%/)) { if (substr($0, RSTART - 1, 1) != "\\") { out = out substr($0, 1, RSTART - 1); $0 = ""; break }
      out = out substr($0, 1, RSTART - 2) "%"; $0 = substr($0, RSTART + 1) } print out $0 }'
}

# As cron runs it, from the home directory; what cron would mail is in /tmp/mail.
run_job() {
  rm -f /tmp/called
  (cd / && env -i HOME=/ LOGNAME=reports SHELL=/bin/sh PATH="$(value PATH)" REPORT_ENV="$(value REPORT_ENV)" \
    timeout 20 /bin/sh -c "$(command_of_cron)" > /tmp/mail 2>&1 < /dev/null)
}

noted() { grep -qxF "$1" /tmp/called 2>/dev/null; }

runs_the_script() {
  local before after
  before=$(date -d yesterday +%F)
  run_job
  after=$(date -d yesterday +%F)
  [ "$(grep '^arg ' /tmp/called 2>/dev/null)" = "arg /app/reports/daily_report.py
arg --date
arg $before" ] || [ "$(grep '^arg ' /tmp/called 2>/dev/null)" = "arg /app/reports/daily_report.py
arg --date
arg $after" ]
}

appends_output() {
  mkdir -p /app/log
  echo 'an older line' > "$log"
  run_job
  [ "$(cat "$log")" = 'an older line
to standard output
to standard error' ] && [ ! -s /tmp/mail ]
}

respects_the_lock() {
  local started
  mkdir -p /app/run
  exec 9> /app/run/daily-report.lock
  flock -n 9 || return 1
  started=$(date +%s)
  run_job
  exec 9>&-
  [ ! -e /tmp/called ] && [ $(($(date +%s) - started)) -lt 10 ]
}

if [ -f "$crontab" ] && grep -q daily_report "$crontab"; then
  directories=no
  [ -d /app/log ] && [ -d /app/run ] && directories=yes
  mkdir -p /app/venv/bin /app/run
  cp /tests/python /app/venv/bin/python && chmod 755 /app/venv/bin/python
  check 'the file has the right mode and line ends' file_is_fine
  check 'one job, daily at 02:30' schedule_is_right
  check 'it runs as the user reports' user_is_right
  check 'the four variables are set' variables_are_set
  check 'the directories for log and lock are there' [ "$directories" = yes ]
  check 'the job runs the script for yesterday' runs_the_script
  check 'in /app/reports, with its environment' eval 'noted "cwd /app/reports" && noted "env production"'
  check 'the lock is held meanwhile' noted 'lock held'
  check 'output is appended to the log' appends_output
  check 'a taken lock means no run' eval 'one_job && [ -s "$log" ] && respects_the_lock && run_job && [ -e /tmp/called ]'
else
  total=1
  echo 'FAIL there is no crontab that runs daily_report.py'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", p / t }' > /logs/verifier/reward.json
