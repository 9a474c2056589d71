# Right alerts, but no checks: any threshold, a failing df, an empty log file when all is calm.
cat > /app/disk-alert.sh <<'SCRIPT'
#!/bin/bash
log=${ALERT_LOG:-/app/alerts.log}
mkdir -p "$(dirname "$log")"
alerts=$(df -P | awk -v t="${THRESHOLD:-90}" 'NR > 1 && $1 !~ /^(tmpfs|devtmpfs|overlay|udev)$/ && $5 ~ /%/ && $5 + 0 > t + 0 {
  m = $0; for (i = 0; i < 5; i++) sub(/^[^ ]+ +/, "", m); print "ALERT " m " " $5 " used (" $4 " KiB free)" }')
touch "$log"
[ -z "$alerts" ] && exit 0
echo "$alerts"
echo "$alerts" | sed "s/^/$(date -u +%Y-%m-%dT%H:%M:%SZ) /" >> "$log"
exit 1
SCRIPT
chmod +x /app/disk-alert.sh
