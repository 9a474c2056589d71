#!/bin/sh
# The result is what the right tool makes of the notes, and nothing else.
cat > /tmp/expected <<'EXPECTED'
4
EXPECTED
if cmp -s /tmp/expected /app/result.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
