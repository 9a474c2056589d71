import type { AgentContext } from '../agent/agent.js';
import { agentFor } from '../agent/index.js';
import { LongrunError } from '../core/errors.js';
import type { ExecResult } from '../sandbox/sandbox.js';
import { loadBlob } from '../store/blobs.js';
import { keys } from '../store/keys.js';
import { readChildren } from '../store/records.js';
import { summaryRecordSchema } from '../store/records.schema.js';
import { resolveEnv } from '../tasks/resolve-env.js';
import { agentContextOf } from './agent-context.js';
import type { AttemptContext } from './attempt-context.js';
import { ExecJournal } from './exec-journal.js';
import { readStepHistory } from './step-history.js';
import { type LoopEnd, takeTurns } from './turn-loop.js';

const ORACLE_TIMEOUT_MS = 60 * 60 * 1000;
const ORACLE_OUTPUT_BYTES = 64_000;

/** Runs the agent's part of a step until it ends (answers why) or the slice is over (answers null). */
export function runAgent(context: AttemptContext, untilMs: number): Promise<LoopEnd | null> {
  switch (context.run.config.agent) {
    case 'nop':
      return Promise.resolve({ stopReason: 'natural', failure: null });
    case 'oracle':
      return runOracle(context);
    case 'tool-calling':
      return runToolCalling(context, untilMs);
  }
}

/** Puts the reference solution in and runs it, as Harbor's oracle does. */
async function runOracle(context: AttemptContext): Promise<LoopEnd> {
  const { deps, key, step, stepSpec, lifecycle, sandbox, guard } = context;
  if (stepSpec.solution === null) {
    const failure = {
      code: 'task_invalid',
      message: 'the task has no solution/solve.sh',
      retryable: false,
      hint: null,
    };
    return { stopReason: 'provision_error', failure };
  }
  const journal = new ExecJournal(
    { store: deps.store, lifecycle, now: deps.now, guard },
    sandbox,
    keys.stepExec(key, step, 'oracle'),
  );
  const started = await journal.started();
  if (started !== null) {
    return oracleEnd(await journal.attach(started));
  }
  await guard();
  await sandbox.putArchive('/solution', await loadBlob(deps.store, stepSpec.solution));
  const limit = stepSpec.agentTimeoutMs ?? ORACLE_TIMEOUT_MS;
  const result = await journal.run(
    {
      script: 'chmod +x /solution/solve.sh; exec /solution/solve.sh',
      cwd: null,
      env: resolveEnv(stepSpec.solutionEnv, process.env),
      user: stepSpec.agentUser,
      timeoutMs: limit * context.run.config.timeoutMultiplier,
      outputLimitBytes: ORACLE_OUTPUT_BYTES,
      stdin: null,
    },
    null,
  );
  return oracleEnd(result);
}

function oracleEnd({ timedOut }: ExecResult): LoopEnd {
  return { stopReason: timedOut ? 'wall_timeout' : 'natural', failure: null };
}

async function runToolCalling(context: AttemptContext, untilMs: number): Promise<LoopEnd | null> {
  const { deps, key, run, task, step } = context;
  const environment = deps.environmentOf(run);
  const client = deps.modelOf(run);
  const [history, budget, summary] = await Promise.all([
    readStepHistory(deps.store, key, step),
    deps.budgets.of(key.runId, run.config),
    newestSummary(context),
  ]);
  const agent = agentFor(run.config);
  if (agent === null) throw new LongrunError('internal', `agent ${run.config.agent} takes no turns`);
  const contextWindow = run.config.contextWindow ?? client.contextWindow();
  const agentContext = { ...agentContextOf(environment, run, task, step), contextWindow, summary };
  return takeTurns({ context, agent, agentContext, client, budget, history }, untilMs);
}

async function newestSummary({ deps, key, step, run }: AttemptContext): Promise<AgentContext['summary']> {
  if (run.config.contextPolicy !== 'summarise') return null;
  const found = await readChildren(deps.store, summaryRecordSchema, keys.turns(key, step), 'summary.json');
  const newest = found.at(-1)?.value;
  return newest ? { throughTurn: newest.throughTurn, content: newest.call.message.content } : null;
}
