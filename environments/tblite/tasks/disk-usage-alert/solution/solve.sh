#!/bin/bash
cat > /app/disk-alert.sh <<'SCRIPT'
#!/bin/bash
# Alerts for file systems fuller than THRESHOLD percent. Exit: 0 fine, 1 alerts, 2 usage, 3 df failed.
threshold=${THRESHOLD:-90}
log=${ALERT_LOG:-/app/alerts.log}

if ! [[ $threshold =~ ^[0-9]{1,3}$ ]] || ((10#$threshold > 100)); then
  echo "disk-alert: THRESHOLD must be a whole number from 0 to 100, not '$threshold'" >&2
  exit 2
fi
if ! usage=$(df -P); then
  echo 'disk-alert: df failed' >&2
  exit 3
fi

alerts=$(awk -v threshold="$((10#$threshold))" '
  NR == 1 || $5 !~ /^[0-9]+%$/ || $1 ~ /^(tmpfs|devtmpfs|overlay|udev)$/ { next }
  $5 + 0 > threshold {
    mount = $0
    sub(/^[^ \t]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+-?[0-9]+[ \t]+[0-9]+%[ \t]/, "", mount)
    printf "ALERT %s %d%% used (%s KiB free)\n", mount, $5, $4
  }' <<< "$usage")
[ -z "$alerts" ] && exit 0

printf '%s\n' "$alerts"
mkdir -p "$(dirname "$log")"
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
while IFS= read -r line; do printf '%s %s\n' "$now" "$line"; done <<< "$alerts" >> "$log"
exit 1
SCRIPT
chmod +x /app/disk-alert.sh
