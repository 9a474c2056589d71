import { LongrunError } from '../core/errors.js';
import { afterAskedWait } from '../core/rollout/lifecycle.js';
import type { BlobRef, SandboxSpec } from '../core/rollout/task.schema.js';
import type { ExecRequest, ExecResult, Sandbox, SandboxRef } from '../sandbox/sandbox.js';
import { loadBlob } from '../store/blobs.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../store/records/records.js';
import { type VerifierSandbox, verifierSandboxSchema } from '../store/records/records.schema.js';
import type { RewardContext } from '../tasks/reward-context.js';
import type { AttemptContext } from './attempt-context.js';
import { persist } from './persist.js';
import { discard, driverOf, ownerOf, specOf } from './place.js';
import { ExecJournal } from './turns/exec-journal.js';

/** What an environment scores a step with: every effect fenced, journaled and found again after a crash. */
export class StepRewardContext implements RewardContext {
  constructor(private readonly context: AttemptContext) {}

  get agentSandbox(): Sandbox {
    return this.context.sandbox;
  }

  get agentActed(): boolean {
    return this.context.run.config.agent !== 'nop';
  }

  get signal(): AbortSignal {
    return this.context.lifecycle.stopping;
  }

  get timeoutMultiplier(): number {
    return this.context.run.config.timeoutMultiplier;
  }

  readonly now = (): number => this.context.deps.now();

  guard(): Promise<void> {
    return this.context.guard();
  }

  loadBlob(ref: BlobRef): Promise<Uint8Array> {
    return loadBlob(this.context.deps.store, ref);
  }

  async run(sandbox: Sandbox, name: string, request: ExecRequest): Promise<ExecResult> {
    const { deps, key, step, lifecycle, guard } = this.context;
    const io = { store: deps.store, lifecycle, now: deps.now, guard };
    const journal = new ExecJournal(io, sandbox, keys.stepExec(key, step, name));
    const started = await journal.started();
    return started === null ? journal.run(request, null) : journal.attach(started);
  }

  async once(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const { deps, key, step } = this.context;
    const at = `${keys.step(key, step)}/${name}`;
    const known = await deps.store.get(at);
    if (known !== null) return known;
    const mine = await compute();
    await this.guard();
    if (await deps.store.putIfAbsent(at, mine, 'process')) return mine;
    return (await deps.store.get(at)) ?? mine;
  }

  async separateSandbox(spec: SandboxSpec | null): Promise<Sandbox> {
    const { deps, key, step, lifecycle } = this.context;
    const at = keys.verifierSandbox(key, step);
    const known = await readRecord(deps.store, verifierSandboxSchema, at);
    if (known !== null) return this.adopt(known.sandbox);
    await this.guard();
    const made = await this.create(spec);
    const mine: VerifierSandbox = { schemaVersion: 1, sandbox: made.ref };
    const { value } = await persist(
      () => putRecordIfAbsent(deps.store, verifierSandboxSchema, at, mine),
      lifecycle.cancelled,
    );
    if (value.sandbox.id === made.ref.id) return made;
    await discard(deps, made);
    return this.adopt(value.sandbox);
  }

  /** Takes the agent's place in the ledger: an attempt never holds two. The last step's agent has no more use for its sandbox. */
  private async create(spec: SandboxSpec | null): Promise<Sandbox> {
    const { deps, key, run, task, step, lifecycle, sandbox } = this.context;
    const driver = driverOf(deps, run);
    const full = specOf(deps, run, task, spec ?? undefined);
    const { image } = full;
    const load = () =>
      image.kind === 'dockerfile' ? this.loadBlob(image.context) : Promise.resolve(new Uint8Array());
    const name = await driver.prepareImage(image, load, lifecycle.cancelled).catch((error: unknown) => {
      throw afterAskedWait(error);
    });
    const owner = ownerOf(deps, key, 'verifier');
    const ledger = deps.ledgers.of(driver.name);
    if (step === task.evalCriteria.steps.length - 1) {
      const place = `${sandbox.ref.id}/verifier`;
      ledger.rename(sandbox.ref.id, place);
      try {
        await sandbox.destroy();
        const made = await driver.create({ image: name, spec: full, owner }, lifecycle.cancelled);
        ledger.rename(place, made.ref.id);
        return made;
      } catch (error) {
        // Given back with the attempt's own sandbox, which is what the clean-up knows of.
        ledger.rename(place, sandbox.ref.id);
        throw error;
      }
    }
    const made = await driver.create({ image: name, spec: full, owner }, lifecycle.cancelled);
    ledger.adopt(made.ref.id);
    return made;
  }

  private async adopt(ref: SandboxRef): Promise<Sandbox> {
    const found = await this.context.deps.drivers.get(ref.driver)?.adopt(ref);
    if (found) return found;
    throw new LongrunError('sandbox_gone', `the verifier's sandbox ${ref.id} no longer exists`);
  }
}
