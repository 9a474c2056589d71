#!/bin/bash
# Writes one table per station into SYNC_TARGET, then sleeps; again and again.
set -u

interval=300
while [ $# -gt 0 ]; do
  case $1 in
    --interval) interval=$2; shift 2 ;;
    *) echo "unknown option: $1" >&2; exit 64 ;;
  esac
done

trap '' TERM

while true; do
  for station in $SYNC_STATIONS; do
    echo "$SYNC_MODE $station" > "$SYNC_TARGET/$station.table"
  done
  echo "synchronised $(echo "$SYNC_STATIONS" | wc -w) stations, next in $intervall s"
  date +%s > "$SYNC_TARGET/last-sync"
  sleep "$interval"
done
