#!/bin/bash
# Compares the three answers; partial credit for each of them.
# No `set -e`: whatever the answer looks like, a reward has to be written.

# same <file>: prints 1 when the answer is the expected one, else 0; explains on standard error.
same() {
  if [ -f "/app/out/$1" ] && cmp -s "/app/out/$1" "/tests/expected/$1"; then
    echo "ok   $1" >&2
    echo 1
  else
    echo "FAIL $1 is missing or differs" >&2
    diff "/tests/expected/$1" "/app/out/$1" 2>&1 | head -5 >&2
    echo 0
  fi
}

errors=$(same errors.txt)
requests=$(same requests.txt)
counts=$(same counts.tsv)

mkdir -p /logs/verifier
awk -v e="$errors" -v r="$requests" -v c="$counts" 'BEGIN {
  printf "{\"reward\": %.4f, \"errors\": %d, \"requests\": %d, \"counts\": %d}\n", 0.5 * e + 0.25 * r + 0.25 * c, e, r, c
}' > /logs/verifier/reward.json
