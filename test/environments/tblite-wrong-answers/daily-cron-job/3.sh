# At midnight, for today, in the wrong directory; standard error goes to the mail.
mkdir -p /app/rootfs/etc/cron.d /app/log /app/run
cat > /app/rootfs/etc/cron.d/daily-report <<'CRON'
SHELL=/bin/sh
PATH=/usr/local/bin:/usr/bin:/bin
MAILTO=ops@example.org
REPORT_ENV=production
@daily reports flock -n /app/run/daily-report.lock /app/venv/bin/python /app/reports/daily_report.py --date "$(date +\%F)" 2>&1 >> /app/log/daily-report.log
CRON
chmod 644 /app/rootfs/etc/cron.d/daily-report
