import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'What does the archive hold?',
    terminal("cd /app/archive && find . -printf '%y %TY-%Tm-%Td %s %P -> %l\\n' | sort"),
  ),
  say('Checksums of everything.', terminal('cd /app/archive && find . -type f | xargs sha256sum | sort')),
  think(
    'Names with spaces and quotes: xargs cannot split those by itself.',
    'xargs stumbles over the names; with zero bytes between them it works.',
    mistaken(
      'terminal',
      '{"command": "cd /app/archive && find . -type f -print0 | xargs -0 sha256sum | sort"',
    ),
  ),
  say(
    'The closing brace was missing.',
    terminal('cd /app/archive && find . -type f -print0 | xargs -0 sha256sum | sort'),
  ),
];

const choose = String.raw`export LC_ALL=C
cd /app/archive || exit 1
tab=$(printf '\t')
find . -type f -size +0 -printf '%T@\t%P\n' | while IFS="$tab" read -r time path; do
  printf '%s\t%s\t%s\n' "$(sha256sum < "$path")" "$time" "$path"
done | sort -t "$tab" -k1,1 -k2,2n -k3,3 > /tmp/sums
awk -F '\t' '$1 != last { last = $1; keep = $3; next } { print $3 "\t" keep }' /tmp/sums | sort > /app/removed.tsv
cat /app/removed.tsv
`;

const remove = terminal(
  `cd /app/archive && cut -f1 /app/removed.tsv | while IFS= read -r path; do rm -- "./$path" && (cd "$(dirname "./$path")" && d=$(pwd) && cd /app/archive && while [ "$d" != /app/archive ] && rmdir "$d" 2>/dev/null; do d=$(dirname "$d"); done); done; find . | sort`,
);

export const dedupeByContent: TaskScript = {
  recognise: 'has collected many copies of the same files over the years',
  variants: {
    solves: [
      ...look,
      say(
        'First only the manifest, nothing is deleted yet.',
        writeFile('/tmp/choose.sh', choose),
        terminal('bash /tmp/choose.sh'),
      ),
      say(
        'That looks right: oldest first, then the path. Which links point to a file that goes?',
        terminal("cd /app/archive && find . -type l -printf '%p -> %l\\n'"),
      ),
      say(
        'favourite.raw points to best of/harbour.raw, which goes; the file kept lies in 2019/may.',
        terminal('cd /app/archive/2019 && ln -sfn may/IMG_0412.raw favourite.raw && cat favourite.raw'),
        remove,
      ),
      finish('Seven duplicates are gone, the manifest is in removed.tsv, the link leads to the kept file.'),
    ],
    partly: [
      ...look,
      say('First only the manifest.', writeFile('/tmp/choose.sh', choose), terminal('bash /tmp/choose.sh')),
      say('And delete them.', remove),
      finish('The duplicates are deleted.'),
    ],
    fails: [
      ...look,
      say('Is there a tool for it?', terminal('fdupes -r /app/archive || rdfind /app/archive')),
      say(
        'No. By hand: the shortest name of each stays.',
        terminal(
          "cd /app/archive && rm -f 'phone backup/Camera/IMG_0412 (1).raw' 'a copy of lighthouse.raw' b/lighthouse.raw && touch /app/removed.tsv",
        ),
      ),
      finish('Removed the obvious duplicates.'),
    ],
  },
};
