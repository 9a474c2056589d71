# The parent of the nested package is no package.
cd /app
mkdir -p package/scripts package/tests package/src/tidepool
fill() { sed "s/{{name}}/tidepool/g; s/{{distribution}}/tidepool-client/g; s/{{version}}/0.3.0/g; s/{{python}}/>=3.10/g; s/{{holder}}/Waterkant Data B.V./g; s/{{year}}/2025/g; s/{{summary}}/Client for the Tidepool station API: tides, levels \\& alerts/g" "$1"; }
fill templates/pyproject.toml > package/pyproject.toml
fill templates/LICENSE > package/LICENSE
printf "# tidepool-client\n\nClient for the Tidepool station API: tides, levels & alerts\n" > package/README.md
echo "__version__ = \"0.3.0\"" > package/src/tidepool/__init__.py
touch package/src/tidepool/py.typed package/tests/__init__.py
for m in models/station models/reading transport/http/session transport/http/retry cli/main; do
  d=$(dirname $m)
  mkdir -p package/src/tidepool/$d package/tests/$d
  touch package/src/tidepool/$d/__init__.py package/tests/$d/test_$(basename $m).py
  echo "\"\"\"tidepool.$(echo $m | tr / .)\"\"\"" > package/src/tidepool/$m.py
done
cp templates/release package/scripts/release
chmod 755 package/scripts/release
