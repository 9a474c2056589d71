#!/bin/sh
# The namespace of the runs: a new cluster has none. Needs the temporal command and TEMPORAL_ADDRESS.
set -eu

namespace=${TEMPORAL_NAMESPACE:-default}
# How long Temporal remembers finished workflows. Results are in the artifact store whatever it forgets.
retention=${RETENTION:-72h}

# By address: inside the tools' image the command does not always manage to resolve the name itself.
host=${TEMPORAL_ADDRESS%:*}
resolved=$(getent ahosts "$host" | awk '/STREAM/ { print $1; exit }')
export TEMPORAL_ADDRESS="${resolved:-$host}:${TEMPORAL_ADDRESS##*:}"

temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$namespace" --retention "$retention"
