#!/bin/bash
# Compares the package with the one that the brief asks for; partial credit by area.
# No `set -e`: whatever the answer looks like, a reward has to be written.
package=/app/package
passed=0
total=0

check() {
  local what=$1
  shift
  total=$((total + 1))
  if "$@" > /dev/null 2>&1; then
    passed=$((passed + 1))
    echo "ok   $what"
  else
    echo "FAIL $what"
  fi
}

# holds <file> <text>: exactly this text and a newline; an empty text is an empty file.
holds() {
  [ -f "$package/$1" ] && [ ! -L "$package/$1" ] || return 1
  if [ -z "$2" ]; then
    [ ! -s "$package/$1" ]
  else
    printf '%s\n' "$2" | cmp -s - "$package/$1"
  fi
}

all_hold() {
  local file
  for file in "$@"; do
    holds "$file" '' || return 1
  done
}

modules_hold() {
  local spec
  for spec in models/station models/reading transport/http/session transport/http/retry cli/main; do
    holds "src/tidepool/$spec.py" "\"\"\"tidepool.${spec//\//.}\"\"\"" || return 1
  done
}

nothing_else() {
  (cd "$package" && find . ! -type d | LC_ALL=C sort) | cmp -s - /tests/files.txt
}

only_these_directories() {
  (cd "$package" && find . -type d | LC_ALL=C sort) | cmp -s - /tests/directories.txt
}

modes_are_right() {
  [ "$(stat -c %a "$package/scripts/release")" = 755 ] || return 1
  [ -z "$(find "$package" -type d ! -perm 755)" ] || return 1
  [ -z "$(find "$package" -type f ! -path "$package/scripts/release" ! -perm 644)" ]
}

if [ -d "$package" ]; then
  check 'pyproject.toml is the filled template' cmp "$package/pyproject.toml" /tests/expected/pyproject.toml
  check 'LICENSE is the filled template' cmp "$package/LICENSE" /tests/expected/LICENSE
  check 'README.md' cmp "$package/README.md" /tests/expected/README.md
  check 'the version of the package' holds src/tidepool/__init__.py '__version__ = "0.3.0"'
  check 'py.typed and the __init__.py files of the subpackages' all_hold src/tidepool/py.typed \
    src/tidepool/models/__init__.py src/tidepool/transport/__init__.py \
    src/tidepool/transport/http/__init__.py src/tidepool/cli/__init__.py
  check 'modules with their docstrings' modules_hold
  check 'test files' all_hold tests/__init__.py tests/models/test_station.py tests/models/test_reading.py \
    tests/transport/http/test_session.py tests/transport/http/test_retry.py tests/cli/test_main.py
  check 'the release script is an untouched copy' cmp "$package/scripts/release" /tests/expected/release
  check 'no file is missing or left over' nothing_else
  check 'no directory is missing or left over' only_these_directories
  check 'modes' modes_are_right
else
  total=1
  echo 'FAIL /app/package is missing'
fi

mkdir -p /logs/verifier
awk -v p="$passed" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", p / t }' > /logs/verifier/reward.json
