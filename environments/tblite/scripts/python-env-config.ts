import type { TaskScript } from '../../../src/model/scripted/script.js';
import { D, finish, mistaken, patch, readFile, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'Code and notes.',
    readFile('/app/project/shop/settings.py'),
    readFile('/app/project/docs/deployment.txt'),
  ),
  say('And what is there already.', mistaken('terminal', '{command: ls -la /app/project}')),
  say(
    'That was no JSON.',
    terminal('cd /app/project && ls -la && cat .env.example && od -c .gitignore | tail -3'),
  ),
];

const dotenv = String.raw`# Production
SHOP_DEBUG=0
SHOP_SECRET_KEY="k7$Hx#9 'quoted' \"twice\" \n end"
DATABASE_URL=postgres://shop:p%40ss@db.internal:5432/shop?sslmode=require&application_name=web
SHOP_ALLOWED_HOSTS=shop.example.org,www.shop.example.org
SHOP_MAIL_FROM='"Shop Zeezicht" <noreply@example.org>'
SHOP_REPORT_PATH='$HOME/reports # nightly'
WEB_CONCURRENCY=6
SHOP_BANNER="  Open on King's Day  "
`;

const sourcing = `set -a
. "${D}{ENV_FILE:-/app/project/.env}"
set +a
`;

const loader = `# To be sourced. env.awk turns the file into assignments that the shell cannot expand.
if [ -f "${D}{ENV_FILE:-/app/project/.env}" ]; then
  eval "$(LC_ALL=C awk -f /app/project/env.awk "${D}{ENV_FILE:-/app/project/.env}")"
else
  echo "env.sh: ${D}{ENV_FILE:-/app/project/.env} is missing" >&2
  return 1
fi
`;

const parser = String.raw`# Prints an export for each variable that is not set yet, or a return with a message.
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function fail() { bad = NR; exit }
{
  line = trim($0)
  if (line == "" || line ~ /^#/) next
  sub(/^export[ \t]+/, "", line)
  eq = index(line, "=")
  key = trim(substr(line, 1, eq - 1))
  if (eq == 0 || key !~ /^[A-Za-z_][A-Za-z0-9_]*$/) fail()
  raw = substr(line, eq + 1)
  rest = trim(raw)
  q = substr(rest, 1, 1)
  if (q == "\"" || q == "\047") {
    v = ""
    for (i = 2; i <= length(rest); i++) {
      c = substr(rest, i, 1)
      if (c == q) break
      d = substr(rest, i + 1, 1)
      if (q == "\"" && c == "\\" && (d == "\\" || d == "\"")) { c = d; i++ }
      v = v c
    }
    if (i > length(rest)) fail()
    rest = substr(rest, i + 1)
    if (rest != "" && rest !~ /^[ \t]+#/) fail()
  } else {
    v = match(raw, /[ \t]#/) ? substr(raw, 1, RSTART - 1) : raw
    v = trim(v)
  }
  gsub(/\047/, "\047\"\047\"\047", v)
  out = out "[ -n \"${D}{" key "+x}\" ] || export " key "=\047" v "\047\n"
}
END {
  if (bad) printf "echo \"env.sh: line %d is no assignment\" >&2; return 1\n", bad
  else printf "%s", out
}
`;

const rest = terminal(
  `cd /app/project && chmod 600 .env && printf '\\n.env\\n' >> .gitignore && grep -v '^#' shop/settings.py | grep -oE '"[A-Z_]+"' | tr -d '"' | LC_ALL=C sort -u | sed 's/$/=/' > .env.example && cat .env.example .gitignore`,
);

const tryIt = terminal(
  'cd /tmp && for s in dash bash; do env -i HOME=/root WEB_CONCURRENCY= $s -c \'set -eu; . /app/project/env.sh; env | sort | grep -E "^(SHOP|DATA|WEB)"\'; done; cd /app',
);

export const pythonEnvConfig: TaskScript = {
  recognise: 'Configure the environment variables of the Python project',
  variants: {
    solves: [
      ...look,
      say(
        'The values, quoted where they need it, and the small files.',
        writeFile('/app/project/.env', dotenv),
        rest,
      ),
      say('The simplest loader is the shell itself.', writeFile('/app/project/env.sh', sourcing), tryIt),
      think(
        'The shell expands $Hx and takes & for a background job; and it overwrites WEB_CONCURRENCY. The format needs a parser.',
        'The shell reads it as code. It needs a parser of its own.',
        writeFile('/app/project/env.awk', parser),
        writeFile('/app/project/env.sh', loader),
        tryIt,
      ),
      say(
        'Now lines that are wrong, and a missing file.',
        terminal(
          'printf "A=1\\n\\nno assignment\\n" > /tmp/bad; for f in /tmp/bad /tmp/none; do ENV_FILE=$f sh -c \'. /app/project/env.sh; echo "returned $?, A is [$A]"\'; done',
        ),
      ),
      finish('The project is configured for production; env.sh loads .env in sh and bash.'),
    ],
    partly: [
      ...look,
      say(
        'The values, quoted where they need it, and the small files.',
        writeFile('/app/project/.env', dotenv),
        rest,
      ),
      say('A loader.', writeFile('/app/project/env.sh', sourcing), tryIt),
      finish('The environment is configured.'),
    ],
    fails: [
      ...look,
      say(
        'I export them.',
        terminal(
          "export SHOP_DEBUG=0 WEB_CONCURRENCY=6 SHOP_ALLOWED_HOSTS=shop.example.org,www.shop.example.org; env | grep -E 'SHOP|WEB'",
        ),
      ),
      say(
        'For the next login, too.',
        patch('/root/.profile', 'SHOP', 'SHOP'),
        terminal('echo export SHOP_DEBUG=0 >> ~/.profile; tail -1 ~/.profile'),
      ),
      finish('The variables are set.'),
    ],
  },
};
