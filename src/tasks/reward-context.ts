import type { BlobRef, SandboxSpec } from '../core/rollout/task.schema.js';
import type { ExecRequest, ExecResult, Sandbox } from '../sandbox/sandbox.js';

/** What an environment may use to score a step. Every effect checks the fence first. */
export interface RewardContext {
  /** The agent's sandbox, its own commands already ended. */
  readonly agentSandbox: Sandbox;
  /** Whether an agent could do anything in it: the list of what it changed costs an engine 0.2 s. */
  readonly agentActed: boolean;
  /** A fresh sandbox from the task's image (null) or another spec; destroys the agent's first. One per step. */
  separateSandbox(spec: SandboxSpec | null): Promise<Sandbox>;
  /** Runs a journaled command: once per name, re-attached to after a crash. */
  run(sandbox: Sandbox, name: string, request: ExecRequest): Promise<ExecResult>;
  /** Throws `fenced` when a newer executor has taken over. Before every upload, kill and restart. */
  guard(): Promise<void>;
  loadBlob(ref: BlobRef): Promise<Uint8Array>;
  /** Keeps bytes across a crash: computed once, recorded, then answered from the store. */
  once(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array>;
  readonly timeoutMultiplier: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
}
