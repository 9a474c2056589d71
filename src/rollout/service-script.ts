import { shell } from '../core/text/shell.js';
import { READ_STAT } from '../sandbox/exec-script.js';

/** What the script below prints at its end. */
export const ENDED = 'longrun-ended';

/**
 * Kills every process but PID 1, itself and services: processes that hold a socket on which others can reach
 * them (TCP and UNIX sockets that listen, UDP sockets that are bound). Run as root; prints its word when nothing
 * else is left.
 */
export const END_ALL_BUT_SERVICES = shell`
exec 2>/dev/null
${READ_STAT}
open=' '
for table in tcp tcp6 udp udp6; do
  [ -r "/proc/net/$table" ] || continue
  while read -r _ _ _ state _ _ _ _ _ inode _; do
    case $table/$state in tcp*/0A | udp*/07) open="$open$inode " ;; esac
  done < "/proc/net/$table"
done
while read -r _ _ _ flags _ _ inode _; do
  [ "$flags" != 00010000 ] || open="$open$inode "
done < /proc/net/unix
services=' '
if [ "$open" != ' ' ]; then
  # shellcheck disable=SC2012
  services=" $(ls -l /proc/[0-9]*/fd | while read -r line; do
    case $line in
      /proc/*/fd:) pid=\${line#/proc/} pid=\${pid%/fd:} ;;
      *'socket:['*)
        inode=\${line##*socket:[} inode=\${inode%]}
        case $open in *" $inode "*) echo "$pid" ;; esac ;;
    esac
  done | tr '\\n' ' ')"
fi
read_stat /proc/$$/stat
# shellcheck disable=SC2086
set -- $line
own=$4 round=0
while [ $round -lt 100 ]; do
  round=$((round + 1)) found=
  for stat in /proc/[0-9]*/stat; do
    read_stat "$stat" || continue
    pid=\${stat#/proc/} pid=\${pid%/stat}
    # shellcheck disable=SC2086
    set -- $line
    case $1 in Z | X) continue ;; esac
    [ "$pid" != 1 ] && [ "$4" != "$own" ] || continue
    case $services in *" $pid "*) continue ;; esac
    found=1
    kill -KILL "$pid"
  done
  [ -n "$found" ] || { echo ${ENDED}; exit 0; }
done
exit 1
`;
