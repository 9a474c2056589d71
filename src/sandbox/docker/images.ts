import type Dockerode from 'dockerode';
import { LongrunError } from '../../core/errors.js';
import { RecentlyUsed } from '../../core/held/recently-used.js';
import { append } from '../../core/lists/append.js';
import type { ImageSource } from '../../core/rollout/task.schema.js';
import { HOUR_MS, LONGEST_TIMER_MS } from '../../core/time.js';
import type { ImageFacts } from './container-options.js';
import { engineStatus, toLongrunError } from './engine-error.js';
import { buildFailed, EngineReport, pullFailed } from './image-failure.js';
import type { ImageUse } from './image-use.js';
import { BUILT_IMAGE_REPOSITORY, LABEL } from './labels.js';
import { SharedWork } from './shared-work.js';

const LOG_LINES = 40;

type LoadContext = () => Promise<Uint8Array>;
type BuiltSource = Extract<ImageSource, { kind: 'dockerfile' }>;

/** Makes sure that images are there. Builds and pulls of the same image are shared within the process. */
export class Images {
  private readonly work = new SharedWork<void>();
  private readonly known = new RecentlyUsed<ImageFacts>(HOUR_MS);

  constructor(
    private readonly docker: Dockerode,
    /** Who builds them; null where nobody would clean up after it. */
    private readonly maker: { installation: string; use: ImageUse } | null = null,
  ) {}

  /** Answers the image's name. Errors: `image_build_failed`, `image_missing`, those of the engine. */
  async prepare(source: ImageSource, loadContext: LoadContext, signal: AbortSignal): Promise<string> {
    const name = source.kind === 'image' ? source.name : builtImageName(source);
    if (source.kind === 'dockerfile') await this.maker?.use.note(name);
    if ((await this.find(name)) !== null) return name;
    await this.work.run(name, signal, async (shared) => {
      if (source.kind === 'image') return this.pull(name, shared);
      if ((await this.find(name)) === null) await this.build(name, source, loadContext, shared);
    });
    return name;
  }

  /** Error: `image_missing`. */
  async facts(name: string): Promise<ImageFacts> {
    const facts = this.known.get(name) ?? (await this.find(name));
    if (facts !== null) return facts;
    throw new LongrunError('image_missing', `There is no image ${name}.`, {
      hint: 'It was removed after it had been prepared; start again.',
      retryable: true,
    });
  }

  /** An image that the engine no longer has. */
  forget(name: string): void {
    this.known.delete(name);
  }

  private async find(name: string): Promise<ImageFacts | null> {
    try {
      const { Config } = await this.docker.getImage(name).inspect();
      // A snapshot was made of a container of ours, whose own user is root.
      const user = Config?.Labels?.[LABEL.defaultUser] ?? Config?.User ?? '';
      const facts = { user, workdir: Config?.WorkingDir || '/' };
      this.known.set(name, facts);
      return facts;
    } catch (error) {
      if (engineStatus(error) === 404) return null;
      throw toLongrunError(error, `looking for image ${name}`);
    }
  }

  private async pull(name: string, signal: AbortSignal): Promise<void> {
    try {
      const reference = /[:@]/.test(name.slice(name.lastIndexOf('/') + 1)) ? name : `${name}:latest`;
      const stream = await this.docker.pull(reference, { abortSignal: signal });
      await this.follow(stream, signal);
    } catch (cause) {
      if (signal.aborted) throw new LongrunError('cancelled', `Stopped pulling ${name}.`, { cause });
      throw pullFailed(name, cause);
    }
  }

  private async build(
    name: string,
    source: BuiltSource,
    loadContext: LoadContext,
    cancelled: AbortSignal,
  ): Promise<void> {
    const limit = AbortSignal.timeout(Math.min(source.buildTimeoutMs, LONGEST_TIMER_MS));
    const signal = AbortSignal.any([cancelled, limit]);
    const log: string[] = [];
    try {
      const context = Buffer.from(await loadContext());
      const stream = await this.docker.buildImage(context as unknown as NodeJS.ReadableStream, {
        t: name,
        rm: true,
        forcerm: true,
        labels: {
          [LABEL.contextDigest]: source.context.sha256,
          ...(this.maker === null ? {} : { [LABEL.builder]: this.maker.installation }),
        },
        abortSignal: signal,
      });
      await this.follow(stream, signal, log);
    } catch (cause) {
      if (cancelled.aborted) throw new LongrunError('cancelled', `Stopped building ${name}.`, { cause });
      throw buildFailed(cause, log, limit.aborted ? source.buildTimeoutMs : null);
    }
  }

  /** Reads the engine's progress messages to their end. Throws `EngineReport` with the last one that tells of a failure. */
  private async follow(
    stream: NodeJS.ReadableStream,
    signal: AbortSignal,
    log: string[] = [],
  ): Promise<void> {
    let failure: EngineReport | null = null;
    const onMessage = ({ stream, error, errorDetail }: EngineMessage) => {
      if (error !== undefined) failure = new EngineReport(error, errorDetail?.code !== undefined);
      append(
        log,
        (stream ?? error ?? '').split('\n').filter((line) => line.trim() !== ''),
      );
      log.splice(0, log.length - LOG_LINES);
    };
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop);
      this.docker.modem.followProgress(
        stream,
        (error: Error | null) => {
          signal.removeEventListener('abort', stop);
          if (error) reject(error);
          else resolve();
        },
        onMessage,
      );
    });
    if (failure !== null) throw failure;
  }
}

interface EngineMessage {
  stream?: string;
  error?: string;
  /** `code`: what a command of a Dockerfile ended with. */
  errorDetail?: { code?: number };
}

/** Content-addressed: the same build context is built once per engine. */
export function builtImageName(source: BuiltSource): string {
  return `${BUILT_IMAGE_REPOSITORY}:${source.context.sha256.slice(0, 24)}`;
}
