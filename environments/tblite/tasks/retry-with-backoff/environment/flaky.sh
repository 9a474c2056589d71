#!/bin/sh
# Fails with exit code 7 until it has been called FLAKY_UNTIL times (default 3); counts in FLAKY_FILE.
file=${FLAKY_FILE:-/tmp/flaky-count}
count=$(($(cat "$file" 2>/dev/null || echo 0) + 1))
echo "$count" > "$file"
[ "$count" -ge "${FLAKY_UNTIL:-3}" ] || exit 7
rm -f "$file"
echo "succeeded at call $count"
