#!/bin/bash
cat > /app/audit.sh <<'SCRIPT'
#!/bin/bash
# audit.sh ROOT: findings about accounts. Exit: 0 none, 1 some, 2 cannot read.
root=${1:-}
[ -n "$root" ] || { echo 'usage: audit.sh ROOT' >&2; exit 2; }
for file in passwd shadow shells; do
  [ -f "$root/etc/$file" ] || { echo "audit: $root/etc/$file is missing" >&2; exit 2; }
done

findings=$(
  LC_ALL=C awk -F: -v OFS='\t' '
    FILENAME ~ /\/shells$/ { if ($0 != "" && !/^#/) listed[$0] = 1; next }
    FILENAME ~ /\/shadow$/ { if ($0 != "") hash[$1] = $2; next }
    $0 == "" { next }
    NF != 7 || $3 !~ /^[0-9]+$/ { print "line " FNR, "malformed", "-"; next }
    {
      uid = $3 + 0
      shell = $7 == "" ? "/bin/sh" : $7
      logs_in = shell !~ /(^|\/)(nologin|false|sync)$/
      if (uid == 0 && $1 != "root") print $1, "uid0", $6
      if (uid in first) print $1, "duplicate-uid", first[uid]; else first[uid] = $1
      if (!($1 in hash)) print $1, "no-shadow", "-"
      else if (hash[$1] == "") print $1, "empty-password", shell
      else if (hash[$1] ~ /^\$1\$/) print $1, "weak-hash", "md5"
      else if (length(hash[$1]) == 13 && hash[$1] !~ /\$/ && hash[$1] !~ /^[!*]/) print $1, "weak-hash", "des"
      if (uid >= 1 && uid <= 999 && logs_in) print $1, "system-shell", shell
      if ((uid == 0 || uid >= 1000) && logs_in && !(shell in listed)) print $1, "unknown-shell", shell
      if (uid >= 1000 && uid != 65534) print $1, "home?", $6
    }' "$root/etc/shells" "$root/etc/shadow" "$root/etc/passwd" |
    while IFS=$'\t' read -r account finding detail; do
      if [ "$finding" = 'home?' ]; then
        finding=no-home
        home=$root/$detail
        [[ $(readlink "$home") == /* ]] || { [ -d "$home" ] && continue; }
      fi
      printf '%s\t%s\t%s\n' "$account" "$finding" "$detail"
    done | LC_ALL=C sort -t"$(printf '\t')" -k1,1 -k2,2
)
[ -n "$findings" ] || exit 0
printf '%s\n' "$findings"
exit 1
SCRIPT
chmod +x /app/audit.sh
/app/audit.sh /app/rootfs > /app/findings.tsv
[ $? -eq 1 ]
