/** The structural rules of ATIF v1.7 (Harbor's RFC 0001), each broken one as a sentence. */
type Json = Record<string, unknown>;

const FIELDS = {
  trajectory: [
    'schema_version',
    'session_id',
    'trajectory_id',
    'agent',
    'steps',
    'notes',
    'final_metrics',
    'continued_trajectory_ref',
    'extra',
    'subagent_trajectories',
  ],
  agent: ['name', 'version', 'model_name', 'tool_definitions', 'extra'],
  step: [
    'step_id',
    'timestamp',
    'source',
    'model_name',
    'reasoning_effort',
    'message',
    'reasoning_content',
    'tool_calls',
    'observation',
    'metrics',
    'is_copied_context',
    'llm_call_count',
    'extra',
  ],
  toolCall: ['tool_call_id', 'function_name', 'arguments', 'extra'],
  observation: ['results'],
  result: ['source_call_id', 'content', 'subagent_trajectory_ref', 'extra'],
  metrics: [
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'cost_usd',
    'prompt_token_ids',
    'completion_token_ids',
    'logprobs',
    'extra',
  ],
  finalMetrics: [
    'total_prompt_tokens',
    'total_completion_tokens',
    'total_cached_tokens',
    'total_cost_usd',
    'total_steps',
    'extra',
  ],
} as const;
const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];

export function atifProblems(trajectory: Json): string[] {
  const problems = unknownFields('trajectory', trajectory);
  const steps = (trajectory.steps ?? []) as Json[];
  const agent = (trajectory.agent ?? {}) as Json;
  if (!/^ATIF-v1\.[0-7]$/.test(String(trajectory.schema_version))) problems.push('schema_version');
  if (steps.length === 0) problems.push('no steps');
  if (typeof agent.name !== 'string' || typeof agent.version !== 'string')
    problems.push('agent without name or version');
  problems.push(
    ...unknownFields('agent', agent),
    ...unknownFields('finalMetrics', (trajectory.final_metrics ?? {}) as Json),
  );
  steps.forEach((step, i) => {
    if (step.step_id !== i + 1) problems.push(`step_id ${String(step.step_id)} at place ${i + 1}`);
    problems.push(...stepProblems(step).map((problem) => `step ${i + 1}: ${problem}`));
  });
  return problems;
}

function stepProblems(step: Json): string[] {
  const problems = unknownFields('step', step);
  const calls = (step.tool_calls ?? []) as Json[];
  const results = ((step.observation as Json | undefined)?.results ?? []) as Json[];
  if (!['system', 'user', 'agent'].includes(String(step.source))) problems.push('source');
  if (typeof step.message !== 'string') problems.push('message');
  if (step.timestamp !== undefined && Number.isNaN(Date.parse(String(step.timestamp))))
    problems.push('timestamp');
  if (step.source !== 'agent') problems.push(...AGENT_ONLY.filter((field) => field in step));
  if (step.llm_call_count === 0 && ('metrics' in step || 'reasoning_content' in step))
    problems.push('llm_call_count');
  for (const call of calls) {
    problems.push(...unknownFields('toolCall', call));
    if (typeof call.arguments !== 'object' || call.arguments === null) problems.push('arguments');
  }
  const ids = new Set(calls.map((call) => call.tool_call_id));
  for (const result of results) {
    problems.push(...unknownFields('result', result));
    if (result.source_call_id !== undefined && !ids.has(result.source_call_id))
      problems.push('source_call_id');
  }
  if (step.observation) problems.push(...unknownFields('observation', step.observation as Json));
  return [...problems, ...unknownFields('metrics', (step.metrics ?? {}) as Json)];
}

function unknownFields(kind: keyof typeof FIELDS, value: Json): string[] {
  const known: readonly string[] = FIELDS[kind];
  return Object.keys(value).flatMap((key) => [
    ...(known.includes(key) ? [] : [`${kind} has no field ${key}`]),
    ...(value[key] === null ? [`${key} is null`] : []),
  ]);
}
