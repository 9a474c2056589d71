import { shell } from '../../core/text/shell.js';
import { READ_STAT } from '../../sandbox/exec-script.js';
import { SPOOL_DIRECTORY, USER_SPOOLS_DIRECTORY } from '../../sandbox/spool.js';

/** A line in the output of our own scripts that says what looks like tampering. */
export const SUSPECT_WORD = 'longrun-suspect';

/**
 * A shell function that prints the pids of processes that are neither PID 1, nor of this command, nor of another
 * command of the engine's: what agents and earlier tests left running.
 */
export const LEFTOVERS = shell`
${READ_STAT}
leftovers() {
  [ -r /proc/$$/stat ] || return 0
  ours=' '
  for stat in /proc/[0-9]*/stat /proc/$$/stat; do
    read_stat "$stat" || continue
    # shellcheck disable=SC2086
    set -- $line
    if [ "$2" = 0 ] || [ "$stat" = "/proc/$$/stat" ]; then ours="$ours$4 "; fi
  done
  for stat in /proc/[0-9]*/stat; do
    read_stat "$stat" || continue
    pid=\${stat#/proc/} pid=\${pid%/stat}
    # shellcheck disable=SC2086
    set -- $line
    case $1 in Z | X) continue ;; esac
    case $ours in *" $4 "*) continue ;; esac
    [ "$pid" = 1 ] || echo "$pid"
  done
}`;

/** More are not looked at, and not for longer: they would hold up the tests. */
const LOOKED_AT = 50;
const LOOK_LIMIT_SEC = 20;
const FILE_LIMIT_SEC = 2;

/**
 * Names what was left running and knows of the reward or of our spools: in its arguments or environment, in its program,
 * or in a file that it was started with. Services and other background work do not.
 */
export const LOOK_AT_LEFTOVERS = shell`
(
  pids=$(leftovers | head -n ${LOOKED_AT})
  set -f
  # A file may become a named pipe between a look at its kind and its opening, which then waits for ever.
  bound=
  if command -v timeout > /dev/null; then bound="timeout ${FILE_LIMIT_SEC}"; fi
  read -r since _ < /proc/uptime
  knows() {
    read -r now _ < /proc/uptime
    [ $((\${now%.*} - \${since%.*})) -lt ${LOOK_LIMIT_SEC} ] || return 1
    # shellcheck disable=SC2086
    $bound grep -aqsF -e logs/verifier -e reward.txt -e reward.json -e /tests/test.sh -e ${SPOOL_DIRECTORY} -- "$@"
  }
  for pid in $pids; do
    found=
    if knows "/proc/$pid/cmdline" "/proc/$pid/environ" "/proc/$pid/exe"; then found=1; fi
    for word in $(tr '\\000' '\\n' < "/proc/$pid/cmdline" | head -c 4000); do
      # Root without the capability to trace may not look through the process of another user.
      root=/proc/$pid/root
      [ -e "$root/." ] || root=
      case $word in /*) file=$root$word ;; *) file=/proc/$pid/cwd/$word ;; esac
      if [ -z "$found" ] && [ -f "$file" ] && knows "$file"; then found=1; fi
    done
    said=$(tr '\\000\\n' '  ' < "/proc/$pid/cmdline" | head -c 200)
    [ -z "$found" ] || echo "${SUSPECT_WORD} running process $pid: $said"
  done
) 2> /dev/null`;

/** Names what lies among the spools of users and is no user's folder of spools. */
export const LOOK_AT_SPOOLS = shell`
(
  for path in ${USER_SPOOLS_DIRECTORY}/* ${USER_SPOOLS_DIRECTORY}/.[!.]*; do
    [ -e "$path" ] || [ -L "$path" ] || continue
    name=\${path#${USER_SPOOLS_DIRECTORY}/}
    case $name in *[!0-9a-f]*) ;; *) [ ! -d "$path" ] || [ -L "$path" ] || continue ;; esac
    printf '%s\\n' "$name" | tr -cd '[:print:]' | head -c 200 | sed 's|^|${SUSPECT_WORD} planted ${USER_SPOOLS_DIRECTORY}/|'
    echo
  done | head -n 20
) 2> /dev/null`;
