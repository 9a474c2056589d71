import { describe, expect, it } from 'vitest';
import type { Task, VerifierSpec } from '../../../src/core/rollout/task.schema.js';
import { loadToml } from '../support/task-folder.js';

const verifier = (task: Task): VerifierSpec =>
  (task.evalCriteria.steps[0] as Task['evalCriteria']['steps'][number]).verifier;
const DOCKERFILE = { 'tests/Dockerfile': 'FROM debian:bookworm-slim\nCOPY . /tests\n' };

describe('a separate verifier', () => {
  it('runs in the image of the task where nothing else is named', async () => {
    const task = await loadToml('[verifier]\nenvironment_mode = "separate"');
    expect(verifier(task)).toMatchObject({ isolation: 'separate', sandbox: null });
  });

  it('is meant when [verifier.environment] is there', async () => {
    const task = await loadToml('[verifier.environment]\ncpus = 4');
    expect(verifier(task)).toMatchObject({ isolation: 'separate', sandbox: { cpus: 4 } });
    expect(verifier(task).sandbox?.image).toEqual(task.metadata.sandbox.image);
  });

  it('has the image that it names', async () => {
    const toml =
      '[verifier.environment]\ndocker_image = "judge:1"\nnetwork_mode = "no-network"\nenv = { A = "1" }';
    expect(verifier(await loadToml(toml, DOCKERFILE)).sandbox).toMatchObject({
      image: { kind: 'image', name: 'judge:1' },
      network: 'none',
      env: { A: '1' },
    });
  });

  it('has the image of tests/Dockerfile, with the limits of the task unless it states its own', async () => {
    const toml = '[verifier]\nenvironment_mode = "separate"\n[environment]\nmemory_mb = 300';
    const task = await loadToml(toml, DOCKERFILE);
    expect(verifier(task).sandbox).toMatchObject({ image: { kind: 'dockerfile' }, memoryMb: 300 });
    expect(verifier(task).sandbox?.image).not.toEqual(task.metadata.sandbox.image);
  });

  it('may bring its test.sh in that image', async () => {
    const toml = '[verifier.environment]\ndocker_image = "judge:1"';
    const task = await loadToml(toml, { 'tests/test.sh': null });
    expect(verifier(task).tests.bytes).toBeGreaterThan(0);
  });

  it('may have another network than the agent', async () => {
    const toml = '[verifier]\nenvironment_mode = "separate"\nnetwork_mode = "no-network"';
    const task = await loadToml(toml);
    expect(task.metadata.sandbox.network).toBe('public');
    expect(verifier(task).sandbox?.network).toBe('none');
  });
});
