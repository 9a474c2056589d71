# Rotates by modification time, and everything that matches backup-*.
cat > /app/backup.sh <<'SCRIPT'
#!/bin/bash
set -e
src=${1%/} dest=$2 keep=${3:-7}
[ -d "$src" ] || { echo 'no source' >&2; exit 3; }
mkdir -p "$dest"
archive=$dest/backup-$(date -u -d "@${BACKUP_TIME:-$(date +%s)}" +%Y%m%dT%H%M%SZ).tar.gz
tar -czf "$archive" --exclude='*.tmp' --exclude=.cache -C "$(dirname "$src")" "$(basename "$src")"
ls -1dt "$dest"/backup-* | tail -n +$((keep + 1)) | xargs -r rm -rf
echo "$archive"
SCRIPT
chmod +x /app/backup.sh
