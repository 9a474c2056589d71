import type { TaskSource } from './task-source.js';

const COMPOSE = /^environment\/(docker-compose|compose|singularity-compose)\.ya?ml$/;

/** Parts of a task folder that would have to be ignored here, and folders that do not fit the steps. */
export function checkLayout(source: TaskSource): void {
  const steps = source.config.steps ?? [];
  for (const { path } of source.entries) {
    if (COMPOSE.test(path)) source.refuseFile(path, 'several containers (docker-compose) are not supported');
    if (/^(steps\/[^/]+\/)?trajectory\.json$/.test(path)) {
      source.refuseFile(path, 'a prior conversation (trajectory.json) is not supported');
    }
    if (/^steps\/[^/]+\/workdir\/setup\.sh$/.test(path)) {
      const accepted = 'another name, or the work done in the Dockerfile';
      source.refuseFile(path, 'scripts that prepare a step (workdir/setup.sh) are not supported', accepted);
    }
  }
  const named = new Set(steps.map(({ name }) => name));
  for (const { path, kind } of source.entries) {
    const [, folder] = /^steps\/([^/]+)$/.exec(path) ?? [];
    if (folder === undefined || kind !== 'directory' || named.has(folder)) continue;
    source.refuseFile(path, 'the folder belongs to no step', `a [[steps]] table with name = "${folder}"`);
  }
  steps.forEach(({ name }, i) => {
    const twice = steps.findIndex((other) => other.name === name) !== i;
    const problem = { found: name, accepted: 'a name of its own for each step' };
    if (twice) source.refuse(['steps', i, 'name'], { ...problem, message: 'two steps have the same name' });
  });
}

/** The text of an instruction.md; missing and empty ones are problems. */
export async function readInstruction(source: TaskSource, path: string): Promise<string> {
  const text = await source.read(path);
  if (text === null) source.refuseFile(path, 'the instruction is missing');
  else if (text.trim() === '') source.refuseFile(path, 'the instruction is empty', 'what the agent is to do');
  return text ?? '';
}

/** A script that cannot start never writes a reward, which would look like a fault of the verifier. */
export async function checkScript(source: TaskSource, path: string): Promise<void> {
  const [first = ''] = ((await source.read(path)) ?? '').split('\n', 1);
  if (first.startsWith('#!') && first.endsWith('\r')) {
    const accepted = 'line feeds only';
    source.refuseFile(path, 'the script has Windows line ends, so its interpreter is not found', accepted);
  } else if (!first.startsWith('#!')) {
    source.note(path, 'the script has no interpreter line (#!/bin/sh); it is run by /bin/sh');
  }
}

export async function checkDockerfile(source: TaskSource, path: string): Promise<void> {
  const text = (await source.read(path)) ?? '';
  if (!/^[^\S\n\r\u2028\u2029]*FROM\s+\S/im.test(text)) {
    source.refuseFile(
      path,
      'the Dockerfile names no base image',
      'a FROM instruction',
      text === '' ? 'nothing' : null,
    );
  }
}
