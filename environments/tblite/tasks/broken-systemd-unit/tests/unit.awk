# Prints what systemd would make of a unit and its drop-ins (given in order) as `Section.Key=value`, lists in order.
# Problems that systemd complains about are printed as `problem ...`.
BEGIN {
  split("Unit Service Install", names, " ")
  for (i in names) known[names[i]] = 1
}
{ sub(/\r$/, " CR") }
FNR == 1 { section = "" }
/^[ \t]*([#;]|$)/ { next }
/^\[/ {
  section = $0
  gsub(/^\[|\][ \t]*$/, "", section)
  if (!(section in known)) print "problem unknown section " section
  next
}
{
  at = index($0, "=")
  key = substr($0, 1, at - 1)
  value = substr($0, at + 1)
  gsub(/^[ \t]+|[ \t]+$/, "", key)
  gsub(/^[ \t]+|[ \t]+$/, "", value)
  if (at == 0 || !(section in known)) { print "problem line " $0; next }
  name = section "." key
  if (!(name in count)) order[++names_seen] = name
  # An empty value resets a list.
  if (value == "") { count[name] = 0; next }
  values[name, ++count[name]] = value
}
END {
  for (i = 1; i <= names_seen; i++)
    for (j = 1; j <= count[order[i]]; j++) print order[i] "=" values[order[i], j]
}
