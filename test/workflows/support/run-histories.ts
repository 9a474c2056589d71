import type { Client, WorkflowHandle } from '@temporalio/client';
import type { RunInput } from '../../../src/core/run/workflow-messages.js';

export interface Message {
  name: string;
  args: unknown[];
}

/** One history of a workflow that continues as new. */
export interface RunHistory {
  input: RunInput;
  signals: (Message & { sender: string })[];
  /** Children that it started, and of these, those that completed. */
  children: { started: number; completed: number };
  continued: boolean;
}

type Carried = NonNullable<RunInput['carried']>;
export type Steering = Pick<Carried, 'paused' | 'concurrency' | 'serve'>;

interface Payloads {
  payloads?: { data?: Uint8Array | null }[] | null;
}

/** All histories of a run's workflow, the first one first. */
export async function historiesOf(client: Client, workflowId: string): Promise<RunHistory[]> {
  const histories: RunHistory[] = [];
  let id: string | null = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (id !== null) {
    const { events } = await client.workflow.getHandle(workflowId, id).fetchHistory();
    const { history, before } = readHistory(events ?? []);
    histories.unshift(history);
    id = before;
  }
  return histories;
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

/** `before`: the id of the one that it carries on. */
function readHistory(events: Events): { history: RunHistory; before: string | null } {
  const begun = events[0]?.workflowExecutionStartedEventAttributes;
  const history = {
    input: argsOf(begun?.input)[0] as RunInput,
    signals: events.flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal
        ? { name: signal.signalName ?? '', args: argsOf(signal.input), sender: signal.identity ?? '' }
        : [],
    ),
    children: {
      started: events.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes).length,
      completed: events.filter((event) => event.childWorkflowExecutionCompletedEventAttributes).length,
    },
    continued: events.some((event) => event.workflowExecutionContinuedAsNewEventAttributes),
  };
  return { history, before: begun?.continuedExecutionRunId || null };
}

const argsOf = (input: Payloads | null | undefined): unknown[] =>
  (input?.payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));

/** What a history that was handed `before` has to hand on, by what it was told. */
export function steered({ paused, concurrency, serve }: Steering, messages: readonly Message[]): Steering {
  const told = { paused, concurrency, limits: { ...serve?.limits }, finishing: serve?.finishing ?? false };
  for (const { name, args } of messages) {
    if (name === 'pause') told.paused = true;
    if (name === 'resume') told.paused = false;
    if (name === 'concurrency') told.concurrency = args[0] as number;
    if (name === 'allowance') Object.assign(told.limits, { [args[0] as string]: args[1] });
    if (name === 'finish') told.finishing = true;
  }
  const { limits, finishing } = told;
  return { paused: told.paused, concurrency: told.concurrency, serve: { limits, finishing } };
}

/** What a history was handed by the one before it; null for the first. */
export function carriedInto({ input }: RunHistory): Steering | null {
  if (input.carried === undefined) return null;
  const { paused, concurrency, serve } = input.carried;
  return { paused, concurrency, ...(serve === undefined ? {} : { serve }) };
}
