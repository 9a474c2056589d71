import { LongrunError } from '../core/errors.js';
import type { Sandbox, SandboxRef, SandboxState } from './sandbox.js';

/** Stands for a sandbox that no longer exists: every use of it says so, removing it is done already. */
export class GoneSandbox implements Sandbox {
  readonly workdir = '/';
  readonly user = '';

  constructor(readonly ref: SandboxRef) {}

  readonly createExec = () => this.gone();
  readonly execStarted = () => this.gone();
  readonly startExec = () => this.gone();
  readonly awaitExec = () => this.gone();
  readonly putArchive = () => this.gone();
  readonly getArchive = () => this.gone();
  readonly changedPaths = () => this.gone();
  readonly restart = () => this.gone();

  async killExec(): Promise<void> {}

  async destroy(): Promise<void> {}

  async state(): Promise<SandboxState> {
    return { running: false, ended: 'outside', oomKilled: false };
  }

  private async gone(): Promise<never> {
    throw new LongrunError('sandbox_gone', `sandbox ${this.ref.id} no longer exists`);
  }
}
