#!/bin/bash
set -eu
brief=/app/brief.txt
out=/app/package

value() {
  awk -v key="$1" '!/^#/ { i = index($0, ":"); k = substr($0, 1, i - 1); v = substr($0, i + 1)
    gsub(/^ +| +$/, "", k); gsub(/^ +| +$/, "", v); if (k == key) print v }' "$brief"
}
items() { value "$1" | tr ',' '\n' | sed 's/^ *//; s/ *$//'; }
fill() {
  local text key
  text=$(cat "$1")
  for key in name distribution version summary python holder year; do
    text=${text//"{{$key}}"/"$(value "$key")"}
  done
  printf '%s\n' "$text"
}

umask 022
name=$(value name)
mkdir -p "$out/src/$name" "$out/tests" "$out/scripts"
fill /app/templates/pyproject.toml > "$out/pyproject.toml"
fill /app/templates/LICENSE > "$out/LICENSE"
printf '# %s\n\n%s\n' "$(value distribution)" "$(value summary)" > "$out/README.md"
printf '__version__ = "%s"\n' "$(value version)" > "$out/src/$name/__init__.py"
: > "$out/src/$name/py.typed"
: > "$out/tests/__init__.py"
for sub in $(items subpackages); do
  path=${sub//./\/}
  mkdir -p "$out/src/$name/$path" "$out/tests/$path"
  parent=$path
  while [ "$parent" != . ]; do
    : > "$out/src/$name/$parent/__init__.py"
    parent=$(dirname "$parent")
  done
  for module in $(items "modules.$sub"); do
    printf '"""%s.%s.%s"""\n' "$name" "$sub" "$module" > "$out/src/$name/$path/$module.py"
    : > "$out/tests/$path/test_$module.py"
  done
done
cp /app/templates/release "$out/scripts/release"
chmod 755 "$out/scripts/release"
