import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, say, searchFiles, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'The files to audit.',
    terminal('cd /app/rootfs && cat -A etc/passwd | head -40; cat etc/shadow etc/shells; ls -l home'),
  ),
  say('Accounts with UID 0:', mistaken('grep', { pattern: ':0:', path: '/app/rootfs/etc/passwd' })),
  say('grep is no tool; search_files is.', searchFiles('^[^:]*:[^:]*:0*:', '/app/rootfs/etc/passwd')),
];

const audit = String.raw`#!/bin/bash
root="$1"
for f in passwd shadow shells; do
  if [ -z "$root" ] || [ ! -f "$root/etc/$f" ]; then
    echo "audit.sh: cannot read $root/etc/$f" >&2
    exit 2
  fi
done

cd "$root" || exit 2
LC_ALL=C awk '
  function report(name, what, detail) { print name "\t" what "\t" detail }
  FILENAME == "etc/shells" { if ($0 !~ /^(#|$)/) ok[$0] = 1; next }
  FILENAME == "etc/shadow" { if (split($0, s, ":")) { known[s[1]] = 1; hash[s[1]] = s[2] }; next }
  $0 == "" { next }
  {
    n = split($0, f, ":")
    name = f[1]; uid = f[3]; home = f[6]; shell = f[7]
    if (shell == "") shell = "/bin/sh"
    login = shell !~ /(nologin|false|sync)$/
    if (uid == 0 && name != "root") report(name, "uid0", home)
    if (uid in owner) report(name, "duplicate-uid", owner[uid])
    else owner[uid] = name
    h = hash[name]
    if (!known[name]) report(name, "no-shadow", "-")
    else if (h == "") report(name, "empty-password", shell)
    else if (substr(h, 1, 3) == "$1$") report(name, "weak-hash", "md5")
    else if (length(h) == 13 && h !~ /[$]/ && h !~ /^[!*]/) report(name, "weak-hash", "des")
    if (login && uid > 0 && uid < 1000) report(name, "system-shell", shell)
    if (login && (uid == 0 || uid >= 1000) && !(shell in ok)) report(name, "unknown-shell", shell)
    if (uid >= 1000 && uid != 65534) report(name, "no-home", home)
  }' etc/shells etc/shadow etc/passwd | while IFS="$(printf '\t')" read -r name what detail; do
  if [ "$what" = no-home ] && [ -d "./$detail" ] && [ ! -L "./$detail" ]; then continue; fi
  printf '%s\t%s\t%s\n' "$name" "$what" "$detail"
done | LC_ALL=C sort -t "$(printf '\t')" -k1,1 -k2,2 > /tmp/audit.$$
cat /tmp/audit.$$
if [ -s /tmp/audit.$$ ]; then code=1; else code=0; fi
rm -f /tmp/audit.$$
exit $code
`;

const run = terminal(
  'chmod +x /app/audit.sh; /app/audit.sh /app/rootfs > /app/findings.tsv; echo "exit $?"; cat /app/findings.tsv',
);

export const accountAudit: TaskScript = {
  recognise: 'Before the yearly review we audit the accounts',
  variants: {
    solves: [
      ...look,
      say('awk reads the files, the shell looks at the homes.', writeFile('/app/audit.sh', audit), run),
      think(
        'gijs and hugo are malformed and must give nothing else, and UIDs are numbers: 0998 is 998.',
        'Malformed lines have to be caught first, and UIDs compared as numbers.',
        patch(
          '/app/audit.sh',
          '    name = f[1]; uid = f[3]; home',
          '    if (n != 7 || f[3] !~ /^[0-9]+$/) { report("line " FNR, "malformed", "-"); next }\n    name = f[1]; uid = f[3] + 0; home',
        ),
        run,
      ),
      say(
        'Two more details: only the last path component of a shell tells, and a relative link for a home is fine.',
        patch('/app/audit.sh', '/(nologin|false|sync)$/', '/(^|\\/)(nologin|false|sync)$/'),
        patch(
          '/app/audit.sh',
          '[ -d "./$detail" ] && [ ! -L "./$detail" ]; then continue; fi',
          '[ -d "./$detail" ]; then\n    case "$(readlink "./$detail")" in /*) ;; *) continue ;; esac\n  fi',
        ),
        run,
      ),
      say(
        'And incomplete copies.',
        terminal('/app/audit.sh; echo "exit $?"; /app/audit.sh /tmp; echo "exit $?"'),
      ),
      finish('audit.sh reports the findings; those of /app/rootfs are in findings.tsv.'),
    ],
    partly: [
      ...look,
      say('awk reads the files, the shell looks at the homes.', writeFile('/app/audit.sh', audit), run),
      finish('The audit is done, the findings are in findings.tsv.'),
    ],
    fails: [
      ...look,
      say(
        'pwck checks exactly this.',
        terminal('pwck -r -R /app/rootfs > /app/findings.tsv 2>&1; cat /app/findings.tsv'),
      ),
      say(
        'Its output will do.',
        writeFile('/app/audit.sh', '#!/bin/sh\npwck -r -R "$1"\n'),
        terminal('sh /app/audit.sh /app/rootfs'),
      ),
      finish('pwck reports the findings.'),
    ],
  },
};
