import { type ErrorCode, LongrunError, type LongrunErrorOptions } from '../../core/errors.js';

interface EngineFailure {
  statusCode?: number;
  code?: string;
  message?: string;
  json?: { message?: string };
}

/** HTTP status of an engine's refusal; null when it never answered. */
export function engineStatus(error: unknown): number | null {
  return (error as EngineFailure | null)?.statusCode ?? null;
}

/** What the engine said, in one line. */
export function engineWords(error: unknown): string {
  const failure = error as EngineFailure;
  const words = failure.json?.message ?? failure.message ?? String(error);
  return words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

/** Turns a failure of the engine into ours; `doing` completes "while ...". */
export function toLongrunError(error: unknown, doing: string): LongrunError {
  if (LongrunError.is(error)) return error;
  const words = engineWords(error);
  const because = (code: ErrorCode, message: string, options: LongrunErrorOptions) =>
    new LongrunError(code, message, { ...options, cause: error });
  const status = engineStatus(error);
  if (status === null) {
    return because('sandbox_unavailable', `The Docker engine did not answer while ${doing}: ${words}`, {
      hint: 'Check that the engine runs (docker version) and that DOCKER_HOST points to it.',
      retryable: true,
    });
  }
  if (/no space left on device/i.test(words)) {
    return because('sandbox_failed', `The Docker engine's disk is full (${doing}): ${words}`, {
      hint: 'Free space where the engine keeps its data (docker system df).',
      retryable: true,
    });
  }
  if (
    status === 404 ||
    (status === 409 && /is not running|non running container|marked for removal|is dead/i.test(words))
  ) {
    return because('sandbox_gone', `The container is gone (${doing}): ${words}`, {});
  }
  return because('sandbox_failed', `The Docker engine refused while ${doing}: ${words}`, {
    retryable: status >= 500,
  });
}

/** Runs one call to the engine, its failures turned into ours. */
export async function asking<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toLongrunError(error, doing);
  }
}
