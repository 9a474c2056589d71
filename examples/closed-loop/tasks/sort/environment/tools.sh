#!/bin/sh
# Adds what one tool makes of the notes to the result.
cd /app || exit 1
case "$1" in
  sort) sort notes.txt ;;
  count) wc -w < notes.txt ;;
  checksum) cksum < notes.txt ;;
  reverse) tac notes.txt ;;
  number) grep -n '' notes.txt ;;
  shout) tr a-z A-Z < notes.txt ;;
  *) echo "there is no tool $1" >&2 && exit 1 ;;
esac >> result.txt
