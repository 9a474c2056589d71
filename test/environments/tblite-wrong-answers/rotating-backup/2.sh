# Stores absolute paths and leaves out nothing.
cat > /app/backup.sh <<'SCRIPT'
#!/bin/bash
[ $# -ge 2 ] || { echo usage >&2; exit 2; }
[ -d "$1" ] || { echo 'no source' >&2; exit 3; }
mkdir -p "$2"
a=$2/backup-$(date -u -d "@${BACKUP_TIME:-$(date +%s)}" +%Y%m%dT%H%M%SZ).tar.gz
tar -czf "$a" "$1" 2> /dev/null || exit 5
ls "$2" | grep -xE 'backup-[0-9]{8}T[0-9]{6}Z\.tar\.gz' | sort -r | tail -n "+$((${3:-7} + 1))" | while read -r f; do rm -f "$2/$f"; done
echo "$a"
SCRIPT
chmod +x /app/backup.sh
