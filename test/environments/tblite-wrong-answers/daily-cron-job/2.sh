# A user crontab: no user field; it also waits for the lock and overwrites the log.
mkdir -p /app/rootfs/etc/cron.d /app/log /app/run
cat > /app/rootfs/etc/cron.d/daily-report <<'CRON'
SHELL=/bin/sh
PATH=/usr/local/bin:/usr/bin:/bin
MAILTO=ops@example.org
REPORT_ENV=production
30 2 * * * cd /app/reports && flock /app/run/daily-report.lock /app/venv/bin/python daily_report.py --date $(date -d yesterday +\%F) > /app/log/daily-report.log 2>&1
CRON
chmod 644 /app/rootfs/etc/cron.d/daily-report
