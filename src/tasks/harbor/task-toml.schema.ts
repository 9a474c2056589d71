import { z } from 'zod';

/*
 * task.toml of Harbor, schema 1.0 to 1.4, with the deprecated spellings. Each message says what is
 * accepted. Settings that longrun cannot honour are part of the shape, so that they are refused by
 * name in `unsupported.ts` instead of passing for typing errors.
 */

export const NEWEST_SCHEMA = '1.4';
const VERSIONS = ['1.0', '1.1', '1.2', '1.3', NEWEST_SCHEMA] as const;

const text = z.string('a string');
const nonEmpty = text.min(1, 'a string that is not empty');
const flag = z.boolean('true or false');
const number = (accepted: string) => z.number(accepted);
const aboveZero = (what: string) => number(`${what} above 0`).positive(`${what} above 0`);
const atLeastZero = (what: string) => number(`${what}, 0 or more`).nonnegative(`${what}, 0 or more`);
/** Thirty years: more is no time that anything could be meant to take, and no clock counts it. */
const MOST_SECONDS = 1e9;
const seconds = aboveZero('a number of seconds').max(MOST_SECONDS, `at most ${MOST_SECONDS} seconds`);
const secondsOrZero = atLeastZero('a number of seconds').max(MOST_SECONDS, `at most ${MOST_SECONDS} seconds`);
const megabytes = aboveZero('a whole number of megabytes').int('a whole number of megabytes above 0');
const size = text.regex(/^\s*\d+(\.\d+)?\s*(([KMGT]i?B?|B)\s*)?$/i, 'a size such as "2G" or "512M"');
const strings = z.array(text, 'a list of strings');
const user = z.union([nonEmpty, z.int().nonnegative()], 'a user name, or a numeric user id');
const folderName = text.regex(
  /^[A-Za-z0-9_][A-Za-z0-9._-]*$/,
  'the name of a folder in steps/: letters, digits, ".", "_" and "-"',
);
const env = z.record(text, z.string('a string, in quotes'), 'a table of strings');
const table = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape, 'a table');
const version = z.enum(VERSIONS, `"1.0" to "${NEWEST_SCHEMA}"`);

const network = {
  network_mode: z
    .enum(['public', 'no-network', 'allowlist'], '"public", "no-network" or "allowlist"')
    .optional(),
  allowed_hosts: strings.optional(),
};

const healthcheck = table({
  command: nonEmpty,
  interval_sec: secondsOrZero.default(5),
  timeout_sec: seconds.default(30),
  start_period_sec: secondsOrZero.default(0),
  start_interval_sec: secondsOrZero.default(5),
  retries: z.int('a whole number above 0').positive('a whole number above 0').default(3),
});

const mcpServer = table({
  name: nonEmpty,
  transport: text.optional(),
  url: text.optional(),
  command: text.optional(),
  args: strings.optional(),
});

const environment = table({
  build_timeout_sec: seconds.default(600),
  docker_image: nonEmpty.optional(),
  os: z.enum(['linux', 'windows'], '"linux"').optional(),
  cpus: aboveZero('a number of processors').optional(),
  memory_mb: megabytes.optional(),
  storage_mb: megabytes.optional(),
  memory: size.optional(),
  storage: size.optional(),
  allow_internet: flag.optional(),
  gpus: z.int('a whole number').nonnegative('a whole number').optional(),
  gpu_types: strings.optional(),
  tpu: z.record(text, z.unknown(), 'a table').optional(),
  ...network,
  env: env.optional(),
  skills_dir: text.optional(),
  workdir: text.regex(/^\//, 'an absolute path').optional(),
  mcp_servers: z.array(mcpServer, 'a list of tables').optional(),
  healthcheck: healthcheck.optional(),
});
export type EnvironmentToml = z.infer<typeof environment>;

const collect = table({
  command: nonEmpty,
  service: text.default('main'),
  timeout_sec: seconds.default(60),
  user: user.optional(),
});

const agent = table({ timeout_sec: seconds.optional(), user: user.optional(), ...network });

const verifier = table({
  timeout_sec: seconds.optional(),
  env: env.optional(),
  user: user.optional(),
  ...network,
  // `restarted` is longrun's own addition.
  environment_mode: z
    .enum(['shared', 'separate', 'restarted'], '"shared", "separate" or "restarted"')
    .optional(),
  environment: environment.optional(),
  collect: z.array(collect, 'a list of tables with a command each').optional(),
});
export type VerifierToml = z.infer<typeof verifier>;

const artifactTable = z.strictObject({
  source: nonEmpty,
  destination: text.optional(),
  exclude: strings.optional(),
  service: text.optional(),
});
const artifacts = z.array(
  z.union([nonEmpty, artifactTable], 'a path, or a table of source, destination, exclude and service'),
  'a list of paths or tables',
);
export type ArtifactToml = z.infer<typeof artifacts>[number];

const step = table({
  name: folderName,
  agent: agent.optional(),
  verifier: verifier.optional(),
  min_reward: z
    .union([z.number(), z.record(z.string(), z.number())], 'a number, or a table of numbers by reward key')
    .optional(),
  healthcheck: healthcheck.optional(),
  artifacts: artifacts.optional(),
});
export type StepToml = z.infer<typeof step>;

const author = table({ name: text, email: text.optional() });

const about = table({
  // Harbor wants an organisation before it publishes a task; folders that were never published often have none.
  name: text
    .regex(
      /^(?!.*\.\.)([A-Za-z0-9][A-Za-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._-]*$/,
      '"organisation/name" or "name"',
    )
    .optional(),
  version: text.optional(),
  description: text.optional(),
  authors: z.array(author, 'a list of tables with name and email').optional(),
  keywords: strings.optional(),
});

export const taskTomlSchema = table({
  schema_version: version.optional(),
  version: version.optional(),
  source: text.optional(),
  multi_step_reward_strategy: z.enum(['mean', 'final'], '"mean" or "final"').optional(),
  artifacts: artifacts.optional(),
  task: about.optional(),
  metadata: z.record(text, z.unknown(), 'a table').optional(),
  agent: agent.optional(),
  verifier: verifier.optional(),
  environment: environment.optional(),
  solution: table({ env: env.optional() }).optional(),
  steps: z.array(step, 'a list of tables with a name each: [[steps]]').optional(),
});
export type TaskToml = z.infer<typeof taskTomlSchema>;
