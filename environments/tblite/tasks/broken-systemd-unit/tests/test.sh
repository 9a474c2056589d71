#!/bin/bash
# Reads the unit as systemd does, starts its command with other configuration values and stops it; partial credit.
# No `set -e`: whatever the answer looks like, a reward has to be written.
root=/app/tide-sync
unit=/app/systemd/tide-sync.service
override=$unit.d/override.conf
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

read_unit() {
  shopt -s nullglob
  awk -f /tests/unit.awk "$unit" "$unit.d"/*.conf > /tmp/unit 2>&1
}

# all <name>: every value of a setting; last <name>: the one that counts.
all() { sed -n "s/^$1=//p" /tmp/unit; }
last() { all "$1" | tail -n 1; }

loads() { ! grep -q '^problem' /tmp/unit && [ "$(all Service.ExecStart | wc -l)" -eq 1 ]; }

starts_in_foreground() { case $(last Service.Type) in simple | exec | '') return 0 ;; *) return 1 ;; esac }

is_enabled() { all Install.WantedBy | tr ' ' '\n' | grep -qxF multi-user.target; }

keeps_settings() {
  [ "$(last Service.User)" = tidesync ] && [ "$(last Service.Restart)" = on-failure ] &&
    [[ $(last Service.RestartSec) =~ ^5s?$ ]] && [ "$(all Unit.After)" = network-online.target ] &&
    [ "$(last Service.WorkingDirectory)" = "$root/incoming" ]
}

override_counts() {
  [ -f "$override" ] && awk -f /tests/unit.awk "$override" > /tmp/override && grep -q '^Service.ExecStart=.*--interval 60$' /tmp/override &&
    grep -qE '^Service.Environment="?SYNC_MODE=full"?$' /tmp/override
}

# The configuration as systemd reads it: assignments without shell syntax; one pair of quotes is dropped.
read_configuration() {
  local file=$1 line
  settings=()
  while IFS= read -r line || [ -n "$line" ]; do
    [[ $line =~ ^[[:space:]]*([\#\;]|$) ]] && continue
    [[ $line =~ ^([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] || continue
    settings+=("${BASH_REMATCH[1]}=$(sed -E 's/^"(.*)"$/\1/; s/^'\''(.*)'\''$/\1/' <<< "${BASH_REMATCH[2]}")")
  done < "$file"
}

configuration_is_right() {
  [ "$(last Service.EnvironmentFile)" = "$root/etc/tide-sync.env" ] && [ -f "$root/etc/tide-sync.env" ] || return 1
  read_configuration "$root/etc/tide-sync.env"
  [ "$(printf '%s\n' "${settings[@]}" | LC_ALL=C sort)" = "SYNC_OWNER=ops@example.org
SYNC_STATIONS=harlingen den-helder vlissingen
SYNC_TARGET=$root/tables" ]
}

program_can_be_run() {
  local program
  program=$(last Service.ExecStart | cut -d' ' -f1)
  [ "$program" = "$root/bin/tide-sync.sh" ] && [ -f "$program" ] && [ -x "$program" ] &&
    head -n 1 "$program" | grep -qE '^#! ?/(usr/)?bin/((env )?bash|sh)( -[a-z]+)?$'
}

# Starts the command of the unit with hidden values, in a session of its own, as systemd would.
start() {
  local changed
  changed=$(last Service.EnvironmentFile)
  sed -E -i 's#^((export )?SYNC_TARGET=).*#\1/tmp/hidden/tables#; s#^((export )?SYNC_STATIONS=).*#\1"delfzijl lauwersoog"#' "$changed"
  read_configuration "$changed"
  local -a environment command
  mapfile -t environment < <(all Service.Environment | sed -E 's/^"(.*)"$/\1/')
  read -r -a command <<< "$(last Service.ExecStart)"
  cd "$(last Service.WorkingDirectory)" || return 1
  env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C "${environment[@]}" "${settings[@]}" \
    setsid "${command[@]}" > /tmp/stdout 2> /tmp/stderr < /dev/null &
  service=$!
}

# until_true <command...>: tries for five seconds.
until_true() {
  local i
  for ((i = 0; i < 50; i++)); do
    "$@" && return 0
    sleep 0.1
  done
  return 1
}

has_ended() { ! kill -0 "$service" 2>/dev/null; }

round_is_done() { [ -s /tmp/hidden/tables/last-sync ] && [ -s /tmp/stdout ]; }

# works new|existing: with a target that has to be made, or with that of the last start.
works() {
  rm -f /tmp/stdout /tmp/hidden/tables/last-sync
  [ "$1" = existing ] || rm -rf /tmp/hidden
  start || return 1
  until_true round_is_done || { cat /tmp/stderr; return 1; }
  sleep 0.3
  ! has_ended && [ "$(cat /tmp/hidden/tables/*.table)" = 'full delfzijl
full lauwersoog' ] && [ "$(cat /tmp/stdout)" = 'synchronised 2 stations, next in 60 s' ] && [ ! -e /tmp/hidden/tables/stopped ]
}

stops() {
  local status
  has_ended && return 1
  kill -TERM "-$service"
  until_true has_ended || { kill -KILL "-$service"; return 1; }
  wait "$service"
  status=$?
  [ "$status" -eq 0 ] && [ -f /tmp/hidden/tables/stopped ]
}

# Nothing but what an untouched sandbox passes, too, is no answer.
runs=no
if [ -f "$unit" ]; then
  read_unit
  check 'systemd accepts unit and drop-ins, with one ExecStart' loads
  check 'the service counts as started while it stays in the foreground' starts_in_foreground
  check 'it is part of multi-user.target' is_enabled
  check 'the configuration is found and in the format of systemd' configuration_is_right
  check 'the program can be executed' program_can_be_run
  check 'it runs with the configured values' works new && runs=yes
  check 'it stops on SIGTERM with exit code 0' stops
  check 'it starts again after that' eval '[ "$runs" = yes ] && works existing'
  has_ended || { kill -KILL "-$service"; wait "$service"; } 2> /dev/null
  check 'user, restart policy, dependencies and directory are as they should be' keeps_settings
  check 'the drop-in still does its part' override_counts
fi
[ "$total" -eq 0 ] && total=1
only_untouched=1
[ "$passed" -gt "$only_untouched" ] || passed=0

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", p / t }' > /logs/verifier/reward.json
