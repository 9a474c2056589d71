# Forgets that virtual environments and caches do not count.
cat > /app/recent.sh <<'SCRIPT'
#!/bin/bash
[ -d "$1" ] || { echo "not a directory: $1" >&2; exit 2; }
end=$(date -u -d "${2:-now}" +%s)
find "$1" -name '*.py' -type f -newermt "@$((end - 86400))" ! -newermt "@$end" -printf '%P\n' | LC_ALL=C sort
SCRIPT
chmod +x /app/recent.sh
/app/recent.sh /app/project "$(cat /app/SNAPSHOT_TIME)" > /app/recent.txt
