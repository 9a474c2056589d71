import { escapeTerminalLine } from '../../report/escape-terminal.js';
import type { Style } from '../../report/style.js';
import { describeProblem, type TaskProblem } from '../../tasks/harbor/problem.js';
import type { ValidationReport } from '../../tasks/validate.js';

/** `tasks validate` for people: each problem at its place, notes below, a verdict last. */
export function renderReports(reports: readonly ValidationReport[], style: Style): string[] {
  const wrong = reports.filter(({ problems }) => problems.length > 0).length;
  const lines = reports.flatMap((report) => [
    `${report.problems.length === 0 ? style('green', '✔') : style('red', '✘')} ${escapeTerminalLine(report.taskId)}`,
    ...report.problems.map((problem) => `    ${escapeTerminalLine(describeProblem(problem))}`),
    ...report.notes.map((note) => style('dim', `    note: ${escapeTerminalLine(describeProblem(note))}`)),
  ]);
  const tasks = reports.length === 1 ? '1 task' : `${reports.length} tasks`;
  const verdict =
    wrong === 0 ? style('green', `${tasks}, all fine`) : style('red', `${tasks}, ${wrong} with problems`);
  return [...lines, '', verdict];
}

/** `tasks validate --json`. */
export function reportDocument(reports: readonly ValidationReport[]): unknown {
  const problem = ({ file, line, found, accepted, message }: TaskProblem) => ({
    file,
    line,
    found,
    accepted,
    message,
  });
  return {
    valid: reports.every(({ problems }) => problems.length === 0),
    tasks: reports.map(({ taskId, dir, problems, notes }) => ({
      task_id: taskId,
      dir,
      problems: problems.map(problem),
      notes: notes.map(problem),
    })),
  };
}
