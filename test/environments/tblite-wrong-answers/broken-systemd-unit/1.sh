# Fixes only what the journal shows.
cd /app || exit
sed -i -e 's,tidesync.env,tide-sync.env,' -e 's/Instal\]/Install]/' systemd/tide-sync.service
sed -i 's/^ExecStart=/ExecStart=\n&/' systemd/tide-sync.service.d/override.conf
