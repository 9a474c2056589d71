# Calls df with other options, which the wrapper refuses.
cat > /app/disk-alert.sh <<'SCRIPT'
#!/bin/bash
threshold=${THRESHOLD:-90}
df --output=pcent,avail,target -x tmpfs -x devtmpfs -x overlay | tail -n +2 | while read -r cap avail mount; do
  if [ "${cap%\%}" -gt "$threshold" ]; then
    echo "ALERT $mount $cap used ($avail KiB free)" | tee -a "${ALERT_LOG:-/app/alerts.log}"
  fi
done
SCRIPT
chmod +x /app/disk-alert.sh
