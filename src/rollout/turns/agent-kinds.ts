import type { AgentContext } from '../../agent/agent.js';
import { agentFor } from '../../agent/index.js';
import { LongrunError } from '../../core/errors.js';
import type { AttemptContext } from '../attempt-context.js';
import { agentContextOf } from './agent-context.js';
import { runOracle } from './run-oracle.js';
import { earlierCallIds, type StepHistory, type StepReader } from './step-history.js';
import { type LoopEnd, takeTurns } from './turn-loop.js';

/** Runs the agent's part of a step until it ends (answers why) or the slice is over (answers null). */
export function runAgent(
  context: AttemptContext,
  reader: StepReader,
  untilMs: number,
): Promise<LoopEnd | null> {
  switch (context.run.config.agent) {
    case 'nop':
      return Promise.resolve({ stopReason: 'natural', failure: null });
    case 'oracle':
      return runOracle(context);
    case 'tool-calling':
      return runToolCalling(context, reader, untilMs);
  }
}

async function runToolCalling(
  context: AttemptContext,
  reader: StepReader,
  untilMs: number,
): Promise<LoopEnd | null> {
  const { deps, key, run, task, step } = context;
  const environment = deps.environmentOf(run);
  const client = deps.modelOf(run);
  const [history, budget, earlierIds] = await Promise.all([
    reader.read(),
    deps.budgets.of(key, run.config),
    earlierCallIds(deps.store, key, step),
  ]);
  const agent = agentFor(run.config);
  if (agent === null) throw new LongrunError('internal', `agent ${run.config.agent} takes no turns`);
  const contextWindow = run.config.contextWindow ?? client.contextWindow();
  const summary = newestSummary(context, history);
  const agentContext = { ...agentContextOf(environment, run, task, step), contextWindow, summary };
  return takeTurns({ context, agent, agentContext, client, budget, history, earlierIds }, untilMs);
}

function newestSummary({ run }: AttemptContext, { summary }: StepHistory): AgentContext['summary'] {
  if (run.config.contextPolicy !== 'summarise' || summary === null) return null;
  return { throughTurn: summary.throughTurn, content: summary.call.message.content };
}
