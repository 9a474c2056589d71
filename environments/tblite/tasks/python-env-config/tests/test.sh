#!/bin/bash
# Reads .env by the format, and sources env.sh with files that the agent has not seen; partial credit.
# No `set -e`: whatever the answer looks like, a reward has to be written.
project=/app/project
passed=0
total=0
mkdir -p /tmp/env
for file in hidden bad-1 bad-2 bad-3 bad-4; do cp "/tests/$file.env.txt" "/tmp/env/$file"; done

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

values_are_right() {
  LC_ALL=C awk -f /tests/read-env.awk "$project/.env" > /tmp/values && LC_ALL=C sort /tmp/values |
    cmp -s /tests/production-expected.txt -
}

# sourced <shell> <file> <script>: runs the script in a clean environment.
sourced() {
  (cd /tmp && env -i PATH="$PATH" HOME=/tmp LC_ALL=C KEPT=before KEPT_EMPTY= ENV_FILE="$2" \
    timeout 10 "$1" -c "$3" > /tmp/out 2> /tmp/err < /dev/null)
}

loads_hidden_file() {
  sourced "$1" /tmp/env/hidden 'set -eu; . /app/project/env.sh; env' || return 1
  grep -vE '^(PATH|HOME|LC_ALL|ENV_FILE|PWD|OLDPWD|SHLVL|_)=' /tmp/out | LC_ALL=C sort | diff /tests/hidden-expected.txt -
}

loads_default_file() {
  (cd / && env -i PATH="$PATH" timeout 10 "$1" -c '. /app/project/env.sh; env' 2>/dev/null) |
    grep -E '^(SHOP_|DATABASE_URL|WEB_)' | LC_ALL=C sort | cmp -s /tests/production-expected.txt -
}

# Names of variables and functions, options and directory, before and after.
leaves_no_traces() {
  local shell
  for shell in dash bash; do
    sourced "$shell" /tmp/env/hidden 'set -eu; state() { set | sed -nE "s/^([A-Za-z_][A-Za-z0-9_]*)(=| ?\(\)).*/\1/p"; echo "$-"; pwd; }
      state > /tmp/before; . /app/project/env.sh; state > /tmp/after' || return 1
    cut -d= -f1 /tests/hidden-expected.txt > /tmp/own
    LC_ALL=C diff <(grep -vxE 'BASH_[A-Z]*|PIPESTATUS|LINENO|_' /tmp/before) \
      <(grep -vxF -f <(grep -v KEPT /tmp/own) /tmp/after | grep -vxE 'BASH_[A-Z]*|PIPESTATUS|LINENO|_') || return 1
  done
}

reports_bad_lines() {
  local shell line
  for shell in dash bash; do
    for line in 1 2 3 4; do
      sourced "$shell" "/tmp/env/bad-$line" 'set -u; . /app/project/env.sh && echo fine || echo "returned $?"; env' || return 1
      grep -qx 'returned 1' /tmp/out && grep -qE "line $line([^0-9]|$)" /tmp/err && ! grep -qE '^(GOOD|MORE|A|B)=' /tmp/out ||
        return 1
    done
    sourced "$shell" /tmp/env/nowhere 'set -u; . /app/project/env.sh && echo fine || echo "returned $?"' || return 1
    grep -qx 'returned 1' /tmp/out && [ -s /tmp/err ] || return 1
  done
}

ignores_are_right() {
  [ "$(head -n 3 "$project/.gitignore")" = "$(printf '__pycache__/\n*.pyc\n.venv/')" ] &&
    tail -n +4 "$project/.gitignore" | grep -qxF .env && ! grep -qxE '\.env\*|\.env\.\*|\.env\.example|\*' "$project/.gitignore"
}

check '.env holds the production values' values_are_right
if [ -f "$project/.env" ]; then
  check '.env is for its owner only' [ "$(stat -c %a "$project/.env")" = 600 ]
else
  check '.env is there' false
fi
check '.env.example lists every variable' cmp -s "$project/.env.example" /tests/example-expected.txt
check '.gitignore ignores .env and nothing is lost' ignores_are_right
if [ -f "$project/env.sh" ]; then
  check 'env.sh reads another file in sh' loads_hidden_file dash
  check 'env.sh reads another file in bash' loads_hidden_file bash
  check 'env.sh reads .env by default' loads_default_file sh
  check 'env.sh leaves nothing of its own behind' leaves_no_traces
  check 'env.sh reports what it cannot read' reports_bad_lines
else
  total=$((total + 5))
  echo 'FAIL env.sh is missing'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", p / t }' > /logs/verifier/reward.json
