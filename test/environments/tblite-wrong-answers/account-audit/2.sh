# Takes every line as it comes: malformed ones, empty shells, numbers with zeros.
cat > /app/audit.sh <<'SCRIPT'
#!/bin/bash
r=$1
for f in passwd shadow shells; do [ -n "$r" ] && [ -f "$r/etc/$f" ] || { echo 'cannot read' >&2; exit 2; }; done
out=$(n=0; while IFS= read -r line || [ -n "$line" ]; do
  n=$((n + 1))
  [ -n "$line" ] || continue
  IFS=: read -r u _ uid _ _ home shell <<< "$line"
  [ "$uid" -eq 0 ] && [ "$u" != root ] && printf '%s\tuid0\t%s\n' "$u" "$home"
  first=$(awk -F: -v u="$uid" 'NF == 7 && $3 == u { print $1; exit }' "$r/etc/passwd")
  [ "$first" != "$u" ] && printf '%s\tduplicate-uid\t%s\n' "$u" "$first"
  if grep -q "^$u:" "$r/etc/shadow"; then
    h=$(grep "^$u:" "$r/etc/shadow" | cut -d: -f2)
    case $h in '') printf '%s\tempty-password\t%s\n' "$u" "$shell" ;; '$1$'*) printf '%s\tweak-hash\tmd5\n' "$u" ;; esac
    [[ $h =~ ^[./A-Za-z0-9]{13}$ ]] && printf '%s\tweak-hash\tdes\n' "$u"
  else printf '%s\tno-shadow\t-\n' "$u"; fi
  case $shell in *nologin | *false | */sync) ;; *)
    if [ "$uid" -ge 1 ] && [ "$uid" -le 999 ]; then printf '%s\tsystem-shell\t%s\n' "$u" "$shell"
    else grep -qxF -- "$shell" "$r/etc/shells" || printf '%s\tunknown-shell\t%s\n' "$u" "$shell"; fi ;;
  esac
  [ "$uid" -ge 1000 ] && [ "$uid" -ne 65534 ] && [ ! -d "$r$home" ] && printf '%s\tno-home\t%s\n' "$u" "$home"
done < "$r/etc/passwd")
[ -n "$out" ] || exit 0
LC_ALL=C sort <<< "$out"
exit 1
SCRIPT
chmod +x /app/audit.sh
/app/audit.sh /app/rootfs > /app/findings.tsv
