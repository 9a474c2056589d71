import { z } from 'zod';

/** A content-addressed blob in the artifact store: an uncompressed tar of a folder. */
export const blobRefSchema = z.object({
  sha256: z.string().length(64),
  bytes: z.number().int().nonnegative(),
});
export type BlobRef = z.infer<typeof blobRefSchema>;

/** Where a sandbox's root file system comes from. */
export const imageSourceSchema = z.discriminatedUnion('kind', [
  /** Built from a Dockerfile at the root of `context`; the tag is the context's digest. */
  z.object({ kind: z.literal('dockerfile'), context: blobRefSchema, buildTimeoutMs: z.number().positive() }),
  z.object({ kind: z.literal('image'), name: z.string().min(1) }),
]);
export type ImageSource = z.infer<typeof imageSourceSchema>;

export const healthcheckSchema = z.object({
  command: z.string(),
  intervalMs: z.number(),
  timeoutMs: z.number(),
  startPeriodMs: z.number(),
  startIntervalMs: z.number(),
  retries: z.number().int(),
});
export type Healthcheck = z.infer<typeof healthcheckSchema>;

export const networkSchema = z.enum(['none', 'public']);
export type Network = z.infer<typeof networkSchema>;

/** What a task asks of its sandbox. Null means "the driver's default". */
export const sandboxSpecSchema = z.object({
  image: imageSourceSchema,
  cpus: z.number().positive().nullable(),
  memoryMb: z.number().int().positive().nullable(),
  storageMb: z.number().int().positive().nullable(),
  network: networkSchema,
  env: z.record(z.string(), z.string()),
  workdir: z.string().nullable(),
  healthcheck: healthcheckSchema.nullable(),
});
export type SandboxSpec = z.infer<typeof sandboxSpecSchema>;

/** A path the verifier needs: carried from the agent's sandbox into a separate one. */
export const artifactSchema = z.object({
  source: z.string(),
  destination: z.string(),
  exclude: z.array(z.string()),
});
export type Artifact = z.infer<typeof artifactSchema>;

export const collectSchema = z.object({
  command: z.string(),
  timeoutMs: z.number(),
  user: z.string().nullable(),
});

export const verifierSpecSchema = z.object({
  isolation: z.enum(['shared', 'restarted', 'separate']),
  timeoutMs: z.number().positive(),
  user: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  /** Only for `separate`: another sandbox than the task's own; null = the task's image. */
  sandbox: sandboxSpecSchema.nullable(),
  collect: z.array(collectSchema),
  /** tests/ as a tar, unpacked to /tests. */
  tests: blobRefSchema,
});
export type VerifierSpec = z.infer<typeof verifierSpecSchema>;

/** One instruction with its limits and its tests. A single-step task has exactly one, named `main`. */
export const stepSchema = z.object({
  name: z.string(),
  instruction: z.string(),
  agentTimeoutMs: z.number().positive().nullable(),
  agentUser: z.string().nullable(),
  verifier: verifierSpecSchema,
  /** Below it the remaining steps are not run: a number for `reward`, or one per reward key. */
  minReward: z.union([z.number(), z.record(z.string(), z.number())]).nullable(),
  healthcheck: healthcheckSchema.nullable(),
  artifacts: z.array(artifactSchema),
  /** Uploaded into the working directory before the step. */
  workdirFiles: blobRefSchema.nullable(),
  /** solution/ as a tar, unpacked to /solution by the oracle agent only. */
  solution: blobRefSchema.nullable(),
  solutionEnv: z.record(z.string(), z.string()),
});
export type TaskStep = z.infer<typeof stepSchema>;

/**
 * agoge's Task: the instruction in `inputs`, criteria in `evalCriteria`, sandbox, limits,
 * category, difficulty and source in `metadata`.
 */
export const taskSchema = z.object({
  schemaVersion: z.literal(1),
  taskId: z.string(),
  inputs: z.object({ instruction: z.string() }),
  evalCriteria: z.object({
    /** How the rewards of several steps become one. */
    stepReward: z.enum(['mean', 'final']),
    steps: z.array(stepSchema).min(1),
  }),
  metadata: z.object({
    sandbox: sandboxSpecSchema,
    category: z.string().nullable(),
    difficulty: z.string().nullable(),
    source: z.object({ kind: z.string(), path: z.string(), name: z.string().nullable(), digest: z.string() }),
    tags: z.array(z.string()),
    /** Other fields of the row that it comes from. */
    own: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type Task = z.infer<typeof taskSchema>;
