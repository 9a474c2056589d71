# Prints KEY=value for each line of a file in the format of the instruction; exit code 1 on a line that is not.
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
{
  line = trim($0)
  if (line == "" || line ~ /^#/) next
  sub(/^export[ \t]+/, "", line)
  at = index(line, "=")
  key = trim(substr(line, 1, at - 1))
  raw = substr(line, at + 1)
  if (at == 0 || key !~ /^[A-Za-z_][A-Za-z0-9_]*$/) exit 1
  text = trim(raw)
  if (text ~ /^\047/) {
    if (text !~ /^\047[^\047]*\047([ \t]+#.*)?$/) exit 1
    value = substr(text, 2)
    value = substr(value, 1, index(value, "\047") - 1)
  } else if (text ~ /^"/) {
    if (text !~ /^"([^"\\]|\\.)*"([ \t]+#.*)?$/) exit 1
    value = ""
    for (i = 2; (c = substr(text, i, 1)) != "\""; i++) {
      if (c == "\\" && substr(text, i + 1, 1) ~ /["\\]/) c = substr(text, ++i, 1)
      value = value c
    }
  } else {
    if (match(raw, /[ \t]#/)) raw = substr(raw, 1, RSTART - 1)
    value = trim(raw)
  }
  print key "=" value
}
