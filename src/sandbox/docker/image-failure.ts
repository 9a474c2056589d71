import { LongrunError } from '../../core/errors.js';
import { engineStatus, engineWords, toLongrunError } from './engine-error.js';
import { askedWaitMs, registryVerdict } from './registry-words.js';

/** What the engine says on the stream of a pull or a build, where it has begun to answer already. */
export class EngineReport extends Error {
  /** What it would have refused with, had it not begun. */
  readonly statusCode = 500;

  constructor(
    words: string,
    /** A command of a Dockerfile failed: its words are the command's. */
    readonly ofCommand: boolean,
  ) {
    super(words);
    this.name = 'EngineReport';
  }
}

/** Errors: `image_missing`, retryable where the registry or the network may do better later; the engine's own. */
export function pullFailed(image: string, cause: unknown): LongrunError {
  const engines = engineTrouble(cause, `pulling image ${image}`);
  if (engines !== null) return engines;
  const words = registryWords(cause);
  const verdict = registryVerdict(words, image);
  const again = verdict === 'again' || (verdict === 'unknown' && !byEngine(cause));
  const load = `load it into the engine (docker pull ${image}, docker load)`;
  return new LongrunError(
    'image_missing',
    `Image ${image} is not here and cannot be pulled${again ? ' now' : ''}: ${words}`,
    {
      hint: again ? `It is tried again. Or ${load}.` : `Check the name, or ${load}.`,
      retryable: again,
      details: again ? { retryAfterMs: askedWaitMs(words) } : {},
      cause,
    },
  );
}

/**
 * Errors: `image_build_failed`; `image_missing`, retryable, where an image that the Dockerfile begins with cannot be
 * pulled now; the engine's own. `timeoutMs`: the time that is over, if that is why.
 */
export function buildFailed(cause: unknown, log: readonly string[], timeoutMs: number | null): LongrunError {
  if (timeoutMs !== null)
    return notBuilt(`no end after ${timeoutMs / 1000} s`, 'Raise its build_timeout_sec.', log, cause);
  const engines = engineTrouble(cause, 'building an image');
  if (engines !== null) return engines;
  const words = registryWords(cause);
  if (ofCommand(cause) || byEngine(cause) || registryVerdict(words) !== 'again')
    return notBuilt(words, 'Build it by hand to see more (docker build).', log, cause);
  return new LongrunError('image_missing', `The task's Dockerfile cannot be built now: ${words}`, {
    hint: 'It is tried again. Or load the images that it begins with into the engine (docker pull, docker load).',
    retryable: true,
    details: { log: log.join('\n'), retryAfterMs: askedWaitMs(words) },
    cause,
  });
}

function notBuilt(what: string, hint: string, log: readonly string[], cause: unknown): LongrunError {
  return new LongrunError('image_build_failed', `The task's Dockerfile does not build: ${what}`, {
    hint,
    details: { log: log.join('\n') },
    cause,
  });
}

/** Where the engine went away or its disk is full; null where it says something of the image. */
function engineTrouble(cause: unknown, doing: string): LongrunError | null {
  const full = /no space left on device/i.test(engineWords(cause)) && !ofCommand(cause);
  return full || engineStatus(cause) === null ? toLongrunError(cause, doing) : null;
}

/** Refused by the engine itself, before it asked any registry. */
const byEngine = (cause: unknown): boolean => (engineStatus(cause) ?? 500) < 500;

function ofCommand(cause: unknown): boolean {
  return cause instanceof EngineReport && cause.ofCommand;
}

/** The engine client's own frame around them says 500 of every registry. */
const registryWords = (cause: unknown): string =>
  engineWords(cause).replace(/^\(HTTP code \d{3}\) [a-z ]{1,40} - /, '');
