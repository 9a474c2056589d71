#!/bin/bash
cat > /app/recent.sh <<'SCRIPT'
#!/bin/bash
dir=${1:-}
if [ ! -d "$dir" ]; then
  echo "recent.sh: not a directory: $dir" >&2
  exit 2
fi
end=$(date -u -d "${2:-now}" +%s) || exit 2
start=$((end - 86400))
find "$dir/" -type d \( -name .git -o -name .venv -o -name __pycache__ \) -prune -o \
  -type f -name '*.py' -newermt "@$start" ! -newermt "@$end" -printf '%P\n' | LC_ALL=C sort
SCRIPT
chmod +x /app/recent.sh
/app/recent.sh /app/project "$(cat /app/SNAPSHOT_TIME)" > /app/recent.txt
