// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of task.toml
import { describe, expect, it } from 'vitest';
import { loadHarborTask } from '../../../src/tasks/harbor/load-task.js';
import { errorOf, problemsOf, problemsOfToml, writeTask } from '../support/task-folder.js';

const STEP = 'schema_version = "1.4"\n[[steps]]\nname = "a"\n';

/** What cannot be honoured: the text, the line it is on, what the message names. */
const UNSUPPORTED: [toml: string, line: number, names: string][] = [
  ['[environment]\nos = "windows"', 2, 'Windows'],
  ['[environment]\n\ngpus = 1', 3, 'GPUs'],
  ['[environment]\ngpu_types = ["h100"]', 2, 'gpu_types'],
  ['[environment.tpu]\ntype = "v5"\ntopology = "2x2"', 1, 'TPUs'],
  ['[environment]\nskills_dir = "skills"', 2, 'skills_dir'],
  ['[[environment.mcp_servers]]\nname = "x"\nurl = "http://x"', 1, 'mcp_servers'],
  ['[environment]\nnetwork_mode = "allowlist"', 2, 'allowlist'],
  ['[environment]\nallowed_hosts = ["pypi.org"]', 2, 'allowed_hosts'],
  ['[agent]\nallowed_hosts = ["pypi.org"]', 2, 'allowed_hosts'],
  ['[verifier]\nnetwork_mode = "allowlist"', 2, 'allowlist'],
  ['[verifier.environment]\ngpus = 2', 2, 'GPUs'],
  ['[[verifier.collect]]\ncommand = "x"\nservice = "db"', 3, 'services'],
  ['artifacts = [{ source = "/x", service = "db" }]', 1, 'services'],
  [`${STEP}[steps.agent]\nnetwork_mode = "allowlist"`, 5, 'allowlist'],
  [`${STEP}[steps.verifier.environment]\ntpu = { type = "v5" }`, 5, 'TPUs'],
  [`${STEP}artifacts = [{ source = "/x", service = "db" }]`, 4, 'services'],
  ['[environment]\nmemory = "1G"\nmemory_mb = 5', 2, 'memory and memory_mb'],
];

describe('a setting that longrun cannot honour is refused by name', () => {
  it.each(UNSUPPORTED)('%s', (toml, line, names) => {
    expect(problemsOfToml(toml)).toEqual([
      expect.objectContaining({ file: 'task.toml', line, message: expect.stringContaining(names) }),
    ]);
  });
});

/** What is not a task.toml: the text, the line, what was found, what is accepted, part of the message. */
const WRONG: [toml: string, line: number, found: string | null, accepted: string, message: string][] = [
  [
    '[agent]\ntimeout = 5',
    2,
    'timeout',
    'timeout_sec, user, network_mode, allowed_hosts',
    'did you mean "timeout_sec"',
  ],
  ['\n[enviroment]\ncpus = 1', 2, 'enviroment', 'environment', 'did you mean "environment"'],
  ['[environment]\nmemry_mb = 1', 2, 'memry_mb', 'memory_mb', 'in [environment]; did you mean "memory_mb"'],
  ['[agent]\ntimeout_sec = "5"', 2, '"5"', 'a number of seconds above 0', 'agent.timeout_sec is not valid'],
  ['[agent]\ntimeout_sec = 0', 2, '0', 'above 0', 'agent.timeout_sec'],
  ['[agent]\ntimeout_sec = 1e308', 2, '1e+308', 'at most 1000000000 seconds', 'agent.timeout_sec'],
  ['[agent]\ntimeout_sec = inf', 2, 'Infinity', 'a number of seconds', 'agent.timeout_sec'],
  ['schema_version = "1.5"', 1, '"1.5"', '"1.0" to "1.4"', 'schema_version'],
  ['version = 1.0', 1, '1', '"1.0" to "1.4"', 'version'],
  ['[environment]\nmemory = "lots"', 2, '"lots"', '"2G"', 'environment.memory'],
  ['[environment]\nmemory_mb = 1.5', 2, '1.5', 'whole number of megabytes', 'environment.memory_mb'],
  ['[environment]\nworkdir = "app"', 2, '"app"', 'an absolute path', 'environment.workdir'],
  ['[environment]\nnetwork_mode = "off"', 2, '"off"', '"public"', 'environment.network_mode'],
  ['[environment.env]\nN = 1', 2, '1', 'a string, in quotes', 'environment.env.N'],
  [
    '[environment.healthcheck]\nretries = 1',
    1,
    null,
    'a string',
    'environment.healthcheck.command is missing',
  ],
  ['[verifier]\ncollect = ["/app/x"]', 2, '"/app/x"', 'a table', 'verifier.collect[0]'],
  ['[verifier]\nenvironment_mode = "apart"', 2, '"apart"', '"separate"', 'verifier.environment_mode'],
  [
    '[task]\nname = "two/many/slashes"',
    2,
    '"two/many/slashes"',
    '"organisation/name" or "name"',
    'task.name',
  ],
  ['[task]\nauthors = ["Jane"]', 2, '"Jane"', 'a table', 'task.authors[0]'],
  ['artifacts = "x"', 1, '"x"', 'a list of paths or tables', 'artifacts'],
  ['[[steps]]\nname = "../x"', 2, '"../x"', 'the name of a folder', 'steps[0].name'],
  [
    '[[steps]]\nname = "a"\n\n[[steps]]\nname = "b"\nmin_reward = "1"',
    6,
    '"1"',
    'a number',
    'steps[1].min_reward',
  ],
  ['multi_step_reward_strategy = "max"', 1, '"max"', '"mean" or "final"', 'multi_step_reward_strategy'],
  ['agent = 5', 1, '5', 'a table', 'agent'],
  ['[agent\ntimeout_sec = 5', 1, '"[agent"', 'TOML 1.0', 'not TOML'],
  ['a = 1\na = 2', 2, '"a = 2"', 'TOML 1.0', 'not TOML'],
];

describe('what is wrong in a task.toml is reported with its line, what was found and what is accepted', () => {
  it.each(WRONG)('%s', (toml, line, found, accepted, message) => {
    expect(problemsOfToml(toml)).toEqual([
      {
        file: 'task.toml',
        line,
        found,
        accepted: expect.stringContaining(accepted),
        message: expect.stringContaining(message),
      },
    ]);
  });
});

/** What is wrong in the folder around it. */
const FOLDERS: [files: Record<string, string | null>, path: string, message: string][] = [
  [{ 'task.toml': null }, 'task.toml', 'a task needs a task.toml'],
  [{ 'instruction.md': null }, 'instruction.md', 'the instruction is missing'],
  [{ 'instruction.md': ' \n' }, 'instruction.md', 'the instruction is empty'],
  [{ 'tests/test.sh': null }, 'tests/test.sh', 'the tests are missing'],
  [{ 'environment/Dockerfile': null }, 'environment/Dockerfile', 'the Dockerfile is missing'],
  [{ 'environment/Dockerfile': 'RUN true\n' }, 'environment/Dockerfile', 'names no base image'],
  [{ 'environment/docker-compose.yaml': 'x' }, 'environment/docker-compose.yaml', 'docker-compose'],
  [{ 'trajectory.json': '{}' }, 'trajectory.json', 'trajectory.json'],
  [{ 'steps/a/instruction.md': 'x' }, 'steps/a', 'belongs to no step'],
  [{ 'tests/test.sh': '#!/bin/sh\r\ntrue\r\n' }, 'tests/test.sh', 'Windows line ends'],
  [{ 'tests/out': '-> ../environment/Dockerfile' }, 'tests/out', 'leaves the folder'],
  [{ 'environment/passwd': '-> /etc/passwd' }, 'environment/passwd', 'leaves the folder'],
];

describe('what is wrong in a task folder is reported with the file', () => {
  it.each(FOLDERS)('%o', async (files, path, message) => {
    const problems = await problemsOf(files);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.file).toMatch(new RegExp(`${path.replaceAll('.', '\\.')}$`));
    expect(problems[0]?.message).toContain(message);
  });

  it('and a phase that wants another network than the sandbox has', async () => {
    const [problem] = await problemsOf({
      'task.toml': '[environment]\nnetwork_mode = "no-network"\n[agent]\nnetwork_mode = "public"',
    });
    expect(problem).toMatchObject({ line: 4, found: 'public', accepted: '"no-network", or nothing' });
  });

  it('and a shared verifier with an environment of its own', async () => {
    const toml = '[verifier]\nenvironment_mode = "shared"\n[verifier.environment]\ncpus = 1';
    expect(await problemsOf({ 'task.toml': toml })).toEqual([
      expect.objectContaining({ line: 3, message: expect.stringContaining('needs a separate verifier') }),
    ]);
  });
});

describe('a broken task', () => {
  it('is refused with all of its problems at once and exit code 2', async () => {
    const dir = await writeTask({
      'task.toml': '[environment]\ngpus = 1\nos = "windows"',
      'tests/test.sh': null,
    });
    const error = await errorOf(loadHarborTask(dir));
    expect(error).toMatchObject({ code: 'task_invalid', exitCode: 2, retryable: false });
    expect(error.details.problems).toHaveLength(3);
    expect(error.message).toContain(
      `${dir}/task.toml:2: GPUs are not supported (found 1; accepted: 0 or nothing)`,
    );
    expect(error.message).toContain('tests/test.sh: the tests are missing');
    expect(error.hint).toContain('longrun tasks validate');
  });

  it('that does not exist is named', async () => {
    const error = await errorOf(loadHarborTask('/nowhere/at-all'));
    expect(error.message).toContain('/nowhere/at-all/task.toml: the task folder does not exist');
  });
});
