#!/bin/bash
cat > /app/backup.sh <<'SCRIPT'
#!/bin/bash
# backup.sh SOURCE DEST [KEEP]. Exit: 2 usage, 3 no source, 4 exists, 5 tar failed.
fail() { echo "backup: $2" >&2; exit "$1"; }

[ $# -eq 2 ] || [ $# -eq 3 ] || fail 2 'usage: backup.sh SOURCE DEST [KEEP]'
source=$1 dest=$2 keep=${3-7}
[[ $keep =~ ^[0-9]+$ ]] && ((10#$keep >= 1)) || fail 2 "KEEP must be a whole number of at least 1, not '$keep'"
keep=$((10#$keep))
[ -d "$source" ] || fail 3 "not a directory: $source"

stamp=$(date -u -d "@${BACKUP_TIME:-$(date +%s)}" +%Y%m%dT%H%M%SZ) || fail 2 'BACKUP_TIME is not a time'
archive=$dest/backup-$stamp.tar.gz
[ ! -e "$archive" ] || fail 4 "already there: $archive"

source=$(cd "$source" && pwd)
made=
[ -d "$dest" ] || { mkdir -p "$dest" && made=yes; }
partial=$dest/.partial.$$
if ! tar -C "$(dirname "$source")" --exclude='*.tmp' --exclude='.cache' -czf "$partial" -- "$(basename "$source")"; then
  rm -f "$partial"
  [ -z "$made" ] || rmdir -p --ignore-fail-on-non-empty "$dest"
  fail 5 'tar failed'
fi
mv "$partial" "$archive"

find "$dest" -maxdepth 1 -type f -regextype posix-extended -regex '.*/backup-[0-9]{8}T[0-9]{6}Z\.tar\.gz' -printf '%f\n' |
  LC_ALL=C sort -r | tail -n "+$((keep + 1))" | while IFS= read -r old; do rm -f -- "$dest/$old"; done
echo "$archive"
SCRIPT
chmod +x /app/backup.sh
