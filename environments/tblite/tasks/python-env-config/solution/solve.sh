#!/bin/bash
set -eu
cd /app/project
umask 077
cat > .env <<'DOTENV'
# Production. Written for docs/deployment.txt; see env.sh for the format.
SHOP_DEBUG=0
SHOP_SECRET_KEY="k7$Hx#9 'quoted' \"twice\" \\n end"
DATABASE_URL=postgres://shop:p%40ss@db.internal:5432/shop?sslmode=require&application_name=web
SHOP_ALLOWED_HOSTS=shop.example.org,www.shop.example.org
SHOP_MAIL_FROM='"Shop Zeezicht" <noreply@example.org>'
SHOP_REPORT_PATH='$HOME/reports # nightly'
WEB_CONCURRENCY=6
SHOP_BANNER="  Open on King's Day  "
DOTENV
chmod 600 .env
umask 022
cat > env.sh <<'SCRIPT'
# Source it: exports the variables of $ENV_FILE. awk parses the file and prints assignments with
# everything in single quotes, so that the shell expands nothing.
eval "$(
  FILE=${ENV_FILE:-/app/project/.env} awk '
    function quote(s,   out, i, c) {
      for (i = 1; i <= length(s); i++) { c = substr(s, i, 1); out = out (c == "\047" ? "\047\\\047\047" : c) }
      return "\047" out "\047"
    }
    function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
    # The value of raw in `value`; 0 when it cannot be read.
    function read(raw,   s, c, i, rest) {
      s = trim(raw); c = substr(s, 1, 1); value = ""
      if (c != "\"" && c != "\047") {
        if (match(raw, /[ \t]#/)) raw = substr(raw, 1, RSTART - 1)
        value = trim(raw)
        return 1
      }
      for (i = 2; i <= length(s) && substr(s, i, 1) != c; i++) {
        if (c == "\"" && substr(s, i, 2) ~ /^\\["\\]$/) i++
        value = value substr(s, i, 1)
      }
      rest = substr(s, i + 1)
      return i <= length(s) && (rest == "" || rest ~ /^[ \t]+#/)
    }
    function assignment(line,   i, key) {
      line = trim(line)
      if (line == "" || line ~ /^#/) return ""
      sub(/^export[ \t]+/, "", line)
      i = index(line, "=")
      key = trim(substr(line, 1, i - 1))
      if (!i || key !~ /^[A-Za-z_][A-Za-z0-9_]*$/ || !read(substr(line, i + 1))) return "bad"
      return "[ -n \"${" key "+set}\" ] || export " key "=" quote(value) "\n"
    }
    BEGIN {
      while ((got = (getline line < ENVIRON["FILE"])) > 0) {
        number++
        text = assignment(line)
        if (text == "bad") { print "echo \"env.sh: cannot read line " number "\" >&2; return 1"; exit }
        all = all text
      }
      if (got < 0) print "echo \"env.sh: cannot read the file\" >&2; return 1"
      else printf "%s", all
    }'
)"
SCRIPT
awk 'match($0, /"[A-Z_]+"/) && !/^#/ { print substr($0, RSTART + 1, RLENGTH - 2) "=" }' shop/settings.py | LC_ALL=C sort -u > .env.example
printf '\n.env\n' >> .gitignore
