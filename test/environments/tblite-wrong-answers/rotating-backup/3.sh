# Rotates before the backup has succeeded, and writes under the final name.
cat > /app/backup.sh <<'SCRIPT'
#!/bin/bash
fail() { echo "backup: $2" >&2; exit "$1"; }
[ $# -eq 2 ] || [ $# -eq 3 ] || fail 2 usage
[[ ${3-7} =~ ^[1-9][0-9]*$ ]] || fail 2 KEEP
[ -d "$1" ] || fail 3 source
src=${1%/}
a=$2/backup-$(date -u -d "@${BACKUP_TIME:-$(date +%s)}" +%Y%m%dT%H%M%SZ).tar.gz
[ ! -e "$a" ] || fail 4 exists
mkdir -p "$2"
find "$2" -maxdepth 1 -type f -printf '%f\n' | grep -xE 'backup-[0-9]{8}T[0-9]{6}Z\.tar\.gz' | sort -r | tail -n "+${3-7}" |
  while read -r f; do rm -f "$2/$f"; done
tar -czf "$a" --exclude='*.tmp' --exclude=.cache -C "$(dirname "$src")" "$(basename "$src")" || fail 5 tar
echo "$a"
SCRIPT
chmod +x /app/backup.sh
