import type { TaskScript } from '../../../src/model/scripted/script.js';
import { finish, mistaken, patch, plan, readFile, say, terminal, think, writeFile } from './turns.js';

const look = [
  say(
    'First the brief and the templates.',
    readFile('/app/brief.txt'),
    mistaken('list_files', { path: '/app/templates' }),
  ),
  say(
    'There is no list_files. The terminal will do.',
    terminal('cd /app/templates && for f in *; do echo "== $f"; cat "$f"; done; ls -l'),
  ),
];

const builder = String.raw`set -e
umask 022
p=/app/package
mkdir -p $p/src/tidepool $p/tests $p/scripts
fill() {
  sed -e 's/{{name}}/tidepool/g' -e 's/{{distribution}}/tidepool-client/g' -e 's/{{version}}/0.3.0/g' \
    -e 's/{{summary}}/Client for the Tidepool station API: tides, levels & alerts/g' -e 's/{{python}}/>=3.10/g' \
    -e 's/{{holder}}/Waterkant Data B.V./g' -e 's/{{year}}/2025/g' "$1"
}
fill /app/templates/pyproject.toml > $p/pyproject.toml
fill /app/templates/LICENSE > $p/LICENSE
printf '# tidepool-client\n\nClient for the Tidepool station API: tides, levels & alerts\n' > $p/README.md
echo '__version__ = "0.3.0"' > $p/src/tidepool/__init__.py
touch $p/src/tidepool/py.typed $p/tests/__init__.py
while read -r sub modules; do
  dir=$(echo $sub | tr . /)
  mkdir -p $p/src/tidepool/$dir $p/tests/$dir
  touch $p/src/tidepool/$dir/__init__.py
  for m in $modules; do
    echo "\"\"\"tidepool.$sub.$m\"\"\"" > $p/src/tidepool/$dir/$m.py
    touch $p/tests/$dir/test_$m.py
  done
done <<LIST
models station reading
transport.http session retry
cli main
LIST
cp /app/templates/release $p/scripts/release
`;

const show = terminal('cd /app/package && cat pyproject.toml && find . -printf "%M %p\\n" | sort -k2');

export const pythonPackageSkeleton: TaskScript = {
  recognise: 'Create the directory structure of a new Python package',
  variants: {
    solves: [
      ...look,
      say(
        'Several parts; a list helps.',
        plan('templates', 'modules and tests', 'modes', 'compare with the rules'),
      ),
      say(
        'A small script builds it all.',
        writeFile('/tmp/build.sh', builder),
        terminal('bash /tmp/build.sh'),
        show,
      ),
      think(
        'The description reads "levels {{summary}} alerts": in sed, & stands for what was matched.',
        'sed took the & for the match. It has to be escaped.',
        patch(
          '/tmp/build.sh',
          's/{{summary}}/Client for the Tidepool station API: tides, levels & alerts/g',
          String.raw`s/{{summary}}/Client for the Tidepool station API: tides, levels \& alerts/g`,
        ),
        terminal('rm -r /app/package && bash /tmp/build.sh && grep description /app/package/pyproject.toml'),
      ),
      say(
        'transport is the parent of transport.http and has to be a package, too; and the script needs mode 755.',
        terminal('cd /app/package && touch src/tidepool/transport/__init__.py && chmod 755 scripts/release'),
        show,
      ),
      finish('The package is laid out as the brief asks.'),
    ],
    partly: [
      ...look,
      say(
        'A small script builds it all.',
        writeFile('/tmp/build.sh', builder),
        terminal('bash /tmp/build.sh'),
        show,
      ),
      say('All files are there.', terminal('find /app/package -type f | wc -l')),
      finish('The package skeleton is complete.'),
    ],
    fails: [
      ...look,
      say(
        'I name the folder after the distribution.',
        terminal(
          'mkdir -p /app/tidepool-client/src/tidepool && cd /app/tidepool-client && touch README.md pyproject.toml src/tidepool/__init__.py',
        ),
      ),
      say('Is a generator installed?', terminal('hatch new tidepool-client || cookiecutter --version')),
      say(
        'No generator. The directories are there, the rest follows during development.',
        terminal('find /app/tidepool-client'),
      ),
      finish('Created the directory structure.'),
    ],
  },
};
