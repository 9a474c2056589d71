#!/bin/bash
# Scores the listing of the checkout and the script on trees that the agent has not seen.
# No `set -e`: whatever the answer looks like, a reward has to be written.
listing=0
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

# prints <status> <output file> <arguments...>: the script answers exactly this.
prints() {
  local status=$1 expected=$2 actual
  shift 2
  actual=$(mktemp)
  timeout 10 /app/recent.sh "$@" > "$actual" 2> /tmp/stderr
  [ $? -eq "$status" ] && cmp -s "$expected" "$actual"
}

complains() {
  prints 2 /dev/null "$1" && [ -s /tmp/stderr ]
}

cat > /tmp/listing <<'LIST'
Setup.py
docs/notebooks/plot tides.py
tests/test_stations.py
tidepool/__init__.py
tidepool/io/reader.py
tidepool/stations.py
LIST

if [ -f /app/recent.txt ] && cmp -s /tmp/listing /app/recent.txt; then
  listing=1
  echo 'ok   /app/recent.txt lists the six files'
else
  echo 'FAIL /app/recent.txt does not list the expected files'
fi

# A tree with other names, times and reference.
tree='/tmp/other tree'
mkdir -p "$tree/pkg/.venv/x" "$tree/pkg/__pycache__" "$tree/.git" "$tree/a-b" "$tree/a" "$tree/venv"
touch -d '2024-07-01T00:00:00Z' "$tree/a/at end.py"
touch -d '2024-06-30T00:00:00Z' "$tree/a/at_start.py"
touch -d '2024-06-30T00:00:01Z' "$tree/a-b/after_start.py"
touch -d '2024-07-01T00:00:01Z' "$tree/a/late.py"
touch -d '2024-06-30T12:00:00Z' "$tree/pkg/mod.py" "$tree/B.py" "$tree/venv/kept.py" "$tree/é.py" \
  "$tree/pkg/mod.pyi" "$tree/pkg/not_py" "$tree/pkg/xpy" "$tree/pkg/.venv/x/deep.py" \
  "$tree/pkg/__pycache__/mod.py" "$tree/.git/hook.py"
mkdir "$tree/dir.py"
touch -d '2024-06-30T12:00:00Z' "$tree/dir.py"
ln -s mod.py "$tree/pkg/link.py"
touch -h -d '2024-06-30T12:00:00Z' "$tree/pkg/link.py"
ln -s "$tree/pkg" "$tree/loop"
printf '%s\n' B.py 'a-b/after_start.py' 'a/at end.py' pkg/mod.py venv/kept.py é.py > /tmp/expected_other

# A tree whose files are as old as they look from now.
mkdir -p /tmp/now
touch -d '3 hours ago' /tmp/now/new.py
touch -d '30 hours ago' /tmp/now/old.py
touch -d '2 days' /tmp/now/future.py
echo new.py > /tmp/expected_now
mkdir -p /tmp/none

if [ -x /app/recent.sh ] && [ -f /app/recent.sh ]; then
  check 'another tree at another reference' prints 0 /tmp/expected_other "$tree" 2024-07-01T00:00:00Z
  check 'the same with a slash at the end of DIR' prints 0 /tmp/expected_other "$tree/" 2024-07-01T00:00:00Z
  check 'without REFERENCE it is now' prints 0 /tmp/expected_now /tmp/now
  check 'works from another directory' eval 'cd /tmp && prints 0 /tmp/expected_now now'
  check 'an empty tree prints nothing' prints 0 /dev/null /tmp/none
  check 'a missing directory is an error' complains /tmp/nowhere
  check 'a file is not a directory' complains /app/SNAPSHOT_TIME
else
  total=1
  echo 'FAIL /app/recent.sh is missing or not executable'
fi
# Errors alone, or an empty answer, are not half a solution.
[ "$passed" -le 3 ] && passed=0

mkdir -p /logs/verifier
awk -v l="$listing" -v p="$passed" -v t="$total" 'BEGIN {
  s = p / t
  printf "{\"reward\": %.4f, \"listing\": %d, \"script\": %.4f}\n", 0.4 * l + 0.6 * s, l, s
}' > /logs/verifier/reward.json
