import type { RunConfig } from '../core/run/run-config.schema.js';
import type { TurnAgent } from './agent.js';
import { toolCallingAgent } from './tool-calling/tool-calling-agent.js';

export type {
  AgentContext,
  Continuation,
  NextRequest,
  PlannedCall,
  TurnAgent,
  TurnHistory,
} from './agent.js';
export { boundResult, RESULT_LIMIT_BYTES, resultLimitBytes, resultPath } from './bound-result.js';
export type { Tool, ToolAnswer, ToolContext, ToolPlan } from './tool.js';
export { takenCallIds, uniqueCallIds } from './tool-calling/call-ids.js';
export { TOOL_NAMES, toolsByName } from './tools/registry.js';

/** The agent that makes the turns of a run; null for `oracle` and `nop`, which ask no model. */
export function agentFor(config: Pick<RunConfig, 'agent'>): TurnAgent | null {
  return config.agent === 'tool-calling' ? toolCallingAgent : null;
}
