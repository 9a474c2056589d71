# Alerts at exactly 90 %, and cuts mount points at the first space.
cat > /app/disk-alert.sh <<'SCRIPT'
#!/bin/bash
log=${ALERT_LOG:-/app/alerts.log}
out=$(df -P) || { echo 'df failed' >&2; exit 3; }
found=0
while read -r dev _ _ avail cap mount _; do
  case $dev in tmpfs | devtmpfs | overlay | udev | Filesystem) continue ;; esac
  [ "${cap%\%}" -ge "${THRESHOLD:-90}" ] 2>/dev/null || continue
  found=1
  line="ALERT $mount $cap used ($avail KiB free)"
  echo "$line"
  mkdir -p "$(dirname "$log")"
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $line" >> "$log"
done <<< "$out"
exit $found
SCRIPT
chmod +x /app/disk-alert.sh
