import type { AttemptKey, ReplayRef, RolloutKey } from '../core/ids.js';

const turnName = (turn: number): string => String(turn).padStart(5, '0');

/** Every key of the artifact store, in one place. Steps, turns and calls count from 0. */
export const keys = {
  installation: 'installation.json',
  blob: (sha256: string): string => `blobs/${sha256}.tar`,

  hosts: 'hosts',
  host: (hostId: string): string => `hosts/${hostId}.json`,

  runs: 'runs',
  run: (runId: string): string => `runs/${runId}/run.json`,
  plan: (runId: string): string => `runs/${runId}/plan.json`,
  task: (runId: string, taskId: string): string => `runs/${runId}/tasks/${taskId}.json`,
  incarnations: (runId: string): string => `runs/${runId}/incarnations`,
  incarnation: (runId: string, n: number): string =>
    `runs/${runId}/incarnations/${String(n).padStart(4, '0')}.json`,
  limits: (runId: string): string => `runs/${runId}/limits`,
  amendment: (runId: string, n: number): string => `runs/${runId}/limits/${String(n).padStart(4, '0')}.json`,
  /** Written when every rollout has a result. */
  summary: (runId: string): string => `runs/${runId}/summary.json`,

  groups: (runId: string): string => `runs/${runId}/groups`,
  group: (runId: string, taskId: string, index: number): string =>
    `runs/${runId}/groups/${taskId}/${String(index).padStart(4, '0')}.json`,

  /** Runs of mode serve: how far the sequence of groups has been handed out to shifts, and where it ended. */
  shifts: (runId: string): string => `runs/${runId}/shifts`,
  served: (runId: string): string => `runs/${runId}/served.json`,
  /** Closed groups in the order of their closing; a log. */
  feed: (runId: string): string => `runs/${runId}/feed`,
  /** Versions of the weights in the order in which they were told of; a log. */
  policies: (runId: string): string => `runs/${runId}/policies`,
  sink: (runId: string, sink: string): string => `runs/${runId}/sinks/${sink}`,
  sinkClaims: (runId: string, sink: string): string => `${keys.sink(runId, sink)}/claims`,
  /** How far a sink has come in the feed; also for people who look. */
  sinkProgress: (runId: string, sink: string): string => `${keys.sink(runId, sink)}/progress.json`,
  /** What became of a group at a sink. */
  delivery: (runId: string, sink: string, taskId: string, index: number): string =>
    `${keys.sink(runId, sink)}/groups/${taskId}/${String(index).padStart(6, '0')}.json`,
  /** Of the groups that the API of a run was asked for. */
  requests: (runId: string): string => `runs/${runId}/api/rollouts`,
  /** By the id that it has there. */
  request: (runId: string, id: string): string => `${keys.requests(runId)}/${id}.json`,
  /** Items of an environment that the API has handed out to a consumer; a log. */
  handedOut: (runId: string, environment: string, consumer: string): string =>
    `runs/${runId}/api/items/${environment}/${consumer}`,

  replays: (runId: string): string => `runs/${runId}/replays`,
  replay: (runId: string, replayId: string): string => `runs/${runId}/replays/${replayId}/replay.json`,
  replayClosed: (runId: string, replayId: string): string => `runs/${runId}/replays/${replayId}/closed.json`,
  replayStarts: (runId: string, replayId: string): string => `runs/${runId}/replays/${replayId}/starts`,

  rollouts: (runId: string): string => `runs/${runId}/rollouts`,
  rollout: (k: RolloutKey): string => `runs/${k.runId}/rollouts/${k.taskId}/${k.sample}`,
  result: (k: RolloutKey): string => `${keys.rollout(k)}/result.json`,
  trajectory: (k: RolloutKey): string => `${keys.rollout(k)}/trajectory.json`,
  attempts: (k: RolloutKey): string => `${keys.rollout(k)}/attempts`,
  /** Results of replays; `result.json` stays what it was. */
  replayResults: (k: RolloutKey): string => `${keys.rollout(k)}/replays`,
  replayResult: (k: RolloutKey, replay: ReplayRef): string =>
    `${keys.replayResults(k)}/${replay.replayId}.${replay.nth}.json`,
  resolutions: (k: RolloutKey): string => `${keys.rollout(k)}/resolutions`,
  feedbacks: (k: RolloutKey): string => `${keys.rollout(k)}/feedback`,
  feedback: (k: RolloutKey, n: number): string => `${keys.feedbacks(k)}/${String(n).padStart(4, '0')}.json`,
  /** In a forked run: where the rollout goes on from. */
  forkOrigin: (k: RolloutKey): string => `${keys.rollout(k)}/origin.json`,
  forkSnapshot: (k: RolloutKey): string => `${keys.rollout(k)}/fork-snapshot.json`,

  attempt: (k: AttemptKey): string => `${keys.rollout(k)}/attempts/${k.attempt}`,
  attemptRecord: (k: AttemptKey): string => `${keys.attempt(k)}/attempt.json`,
  attemptStarted: (k: AttemptKey): string => `${keys.attempt(k)}/started.json`,
  /** Of an attempt that a replay makes: whose it is. */
  replayClaim: (k: AttemptKey): string => `${keys.attempt(k)}/replay.json`,
  /** Of an attempt that a replay made; the one that `result.json` names has its own at the rollout. */
  attemptTrajectory: (k: AttemptKey): string => `${keys.attempt(k)}/trajectory.json`,
  placement: (k: AttemptKey): string => `${keys.attempt(k)}/placement.json`,
  fences: (k: AttemptKey): string => `${keys.attempt(k)}/fences`,
  step: (k: AttemptKey, step: number): string => `${keys.attempt(k)}/steps/${step}`,
  agentEnd: (k: AttemptKey, step: number): string => `${keys.step(k, step)}/agent-end.json`,
  oracle: (k: AttemptKey, step: number): string => `${keys.step(k, step)}/oracle.json`,
  /** The sandbox as the agent left it, under `keepSnapshots`. */
  finalSnapshot: (k: AttemptKey, step: number): string => `${keys.step(k, step)}/snapshot.json`,
  verdict: (k: AttemptKey, step: number): string => `${keys.step(k, step)}/verdict.json`,
  verifierSandbox: (k: AttemptKey, step: number): string => `${keys.step(k, step)}/verifier-sandbox.json`,
  /** Journals of commands that are not tool calls: `oracle`, `tests`, `healthcheck`. */
  stepExec: (k: AttemptKey, step: number, name: string): string => `${keys.step(k, step)}/exec/${name}.json`,
  turns: (k: AttemptKey, step: number): string => `${keys.step(k, step)}/turns`,
  turn: (k: AttemptKey, step: number, turn: number): string => `${keys.turns(k, step)}/${turnName(turn)}`,
  call: (k: AttemptKey, step: number, turn: number): string => `${keys.turn(k, step, turn)}/call.json`,
  /** The summary asked for before a turn, under the `summarise` policy. */
  turnSummary: (k: AttemptKey, step: number, turn: number): string =>
    `${keys.turn(k, step, turn)}/summary.json`,
  intents: (k: AttemptKey, step: number, turn: number): string => `${keys.turn(k, step, turn)}/intents`,
  failures: (k: AttemptKey, step: number, turn: number): string => `${keys.turn(k, step, turn)}/failures`,
  toolExec: (k: AttemptKey, step: number, turn: number, call: number): string =>
    `${keys.turn(k, step, turn)}/tools/${call}/exec.json`,
  toolResult: (k: AttemptKey, step: number, turn: number, call: number): string =>
    `${keys.turn(k, step, turn)}/tools/${call}/result.json`,
  /** What a command of the source answered when a replay executed it again. */
  toolReplayed: (k: AttemptKey, step: number, turn: number, call: number): string =>
    `${keys.turn(k, step, turn)}/tools/${call}/replayed.json`,
} as const;
