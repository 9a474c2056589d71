#!/bin/sh
# The result is what the right tool makes of the notes, and nothing else.
cat > /tmp/expected <<'EXPECTED'
1:milk
2:bread
3:eggs
4:apples
EXPECTED
if cmp -s /tmp/expected /app/result.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
