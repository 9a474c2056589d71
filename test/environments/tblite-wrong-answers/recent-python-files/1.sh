# Uses find -mtime, which rounds to whole days and counts from now.
cat > /app/recent.sh <<'SCRIPT'
#!/bin/bash
[ -d "$1" ] || { echo "not a directory: $1" >&2; exit 2; }
cd "$1" && find . -name '*.py' -type f -mtime -1 -not -path '*/.venv/*' -not -path '*/.git/*' -not -path '*/__pycache__/*' |
  sed 's,^\./,,' | LC_ALL=C sort
SCRIPT
chmod +x /app/recent.sh
/app/recent.sh /app/project > /app/recent.txt
