#!/bin/bash
set -eu
cd /app/systemd
sed -i -e 's/^Type=forking$/Type=exec/' -e 's,etc/tidesync.env,etc/tide-sync.env,' \
  -e 's,^WorkingDirectory=.*,WorkingDirectory=/app/tide-sync/incoming,' -e 's/^\[Instal\]$/[Install]/' tide-sync.service
sed -i 's/^ExecStart=/ExecStart=\n&/' tide-sync.service.d/override.conf
cd /app/tide-sync
sed -i 's/^export //' etc/tide-sync.env
sed -i -e 's/\r$//' -e 's/\$intervall/$interval/' bin/tide-sync.sh
sed -i "s,^trap '' TERM\$,mkdir -p \"\$SYNC_TARGET\"\nrm -f \"\$SYNC_TARGET/stopped\"\ntrap 'touch \"\$SYNC_TARGET/stopped\"; exit 0' TERM," bin/tide-sync.sh
sed -i 's/^  sleep "\$interval"$/  sleep "$interval" \&\n  wait $!/' bin/tide-sync.sh
chmod 755 bin/tide-sync.sh
