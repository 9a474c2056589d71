import type { SandboxSpec, Task } from '../../core/rollout/task.schema.js';
import { escapeTerminal, escapeTerminalLine } from '../../report/escape-terminal.js';
import { duration, UNKNOWN } from '../../report/quantities.js';
import type { Style } from '../../report/style.js';
import { type Column, renderTable } from '../../report/table.js';
import type { Look } from '../look.js';

/** One line of `tasks list`, in the spelling of its JSON. */
export interface TaskRow {
  task_id: string;
  category: string | null;
  difficulty: string | null;
  steps: number;
  network: string;
  /** Of all steps together; null when one has no limit. */
  agent_timeout_ms: number | null;
  isolation: string;
}

export function taskRow(task: Task): TaskRow {
  const { steps } = task.evalCriteria;
  const limits = steps.map((step) => step.agentTimeoutMs);
  const limited = limits.every((limit) => limit !== null);
  return {
    task_id: task.taskId,
    category: task.metadata.category,
    difficulty: task.metadata.difficulty,
    steps: steps.length,
    network: task.metadata.sandbox.network,
    agent_timeout_ms: limited ? limits.reduce((sum, limit) => sum + limit, 0) : null,
    isolation: [...new Set(steps.map((step) => step.verifier.isolation))].join(', '),
  };
}

const COLUMNS: Column[] = [
  { title: 'task', flexible: true },
  { title: 'category' },
  { title: 'difficulty' },
  { title: 'steps', align: 'right' },
  { title: 'agent time', align: 'right' },
  { title: 'network' },
  { title: 'verified' },
];

/** `tasks list` for people. */
export function renderTaskRows(rows: readonly TaskRow[], { style, columns }: Look): string[] {
  const cells = rows.map((row) => [
    row.task_id,
    row.category ?? UNKNOWN,
    row.difficulty ?? UNKNOWN,
    String(row.steps),
    row.agent_timeout_ms === null ? 'no limit' : duration(row.agent_timeout_ms),
    row.network,
    row.isolation,
  ]);
  return renderTable(COLUMNS, cells, columns, style);
}

/** `tasks show` for people: the instruction of each step between what surrounds it. */
export function renderTask(task: Task, style: Style): string[] {
  const { metadata, evalCriteria } = task;
  const facts: [string, string][] = [
    ['category', metadata.category ?? UNKNOWN],
    ['difficulty', metadata.difficulty ?? UNKNOWN],
    ['tags', metadata.tags.join(', ') || UNKNOWN],
    ['source', metadata.source.path],
    ['sandbox', describeSandbox(metadata.sandbox)],
  ];
  const lines = [
    style('bold', escapeTerminalLine(task.taskId)),
    ...facts.map(([name, text]) => fact(name, text, style)),
  ];
  for (const step of evalCriteria.steps) {
    const limit = step.agentTimeoutMs === null ? 'no limit' : duration(step.agentTimeoutMs);
    const { verifier } = step;
    lines.push(
      '',
      ...(evalCriteria.steps.length > 1 ? [style('bold', `step ${escapeTerminalLine(step.name)}`)] : []),
      fact('agent', `${limit}${step.agentUser === null ? '' : `, as ${step.agentUser}`}`, style),
      fact('verifier', `${verifier.isolation}, ${duration(verifier.timeoutMs)}`, style),
      '',
      ...escapeTerminal(step.instruction.trimEnd()).split('\n'),
    );
  }
  return lines;
}

function describeSandbox({ image, cpus, memoryMb, storageMb, network }: SandboxSpec): string {
  const parts = [
    image.kind === 'image' ? image.name : 'built from its Dockerfile',
    cpus === null ? null : `${cpus} CPUs`,
    memoryMb === null ? null : `${memoryMb} MB memory`,
    storageMb === null ? null : `${storageMb} MB disk`,
    `network ${network}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

const fact = (name: string, text: string, style: Style): string =>
  `${style('dim', name.padEnd(11))}${escapeTerminalLine(text)}`;
