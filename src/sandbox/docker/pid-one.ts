import { shell } from '../../core/text/shell.js';
import { SPOOL_DIRECTORY, USER_SPOOLS_DIRECTORY } from '../spool.js';

/** Sent to PID 1 from outside: it kills every other process, without needing to fork. */
export const KILL_ALL_SIGNAL = 'SIGUSR1';

/**
 * PID 1 of every container. It blocks in a builtin on a pipe that it holds open itself, so it never forks after
 * its start: a shell that cannot fork, because a fork bomb has taken every process, would end the container.
 * `jobs` makes a shell collect all its children, adopted ones included. Signals from inside the container do not
 * reach PID 1 unless it has a handler for them, `kill -9 -1` as root included; shells have handlers of their own
 * for some (dash ends on INT), so all that can be ignored are. The modes of the spools are set here, because an engine
 * that restarts a container forgets those it was asked for.
 */
export const PID_ONE_SCRIPT = shell`
trap '' HUP INT QUIT ABRT PIPE ALRM TERM TSTP TTIN TTOU USR2
trap 'jobs > /dev/null' CHLD
trap 'kill -KILL -1' USR1
chmod 700 ${SPOOL_DIRECTORY}; chmod 1777 ${USER_SPOOLS_DIRECTORY}
if mkfifo -m 600 ${SPOOL_DIRECTORY}/.idle && exec 3<> ${SPOOL_DIRECTORY}/.idle; then
  while :; do read -r _ <&3; done
fi
while :; do sleep 3600 & wait; done
`;
