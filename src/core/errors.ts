const MARKER = Symbol.for('longrun.error');
const MAX_CAUSES = 5;

/** Every code an error of ours can carry. Code matches on `code`, never on text. */
export type ErrorCode =
  | 'bad_input'
  | 'not_found'
  | 'already_exists'
  | 'internal'
  | 'store_unavailable'
  | 'store_full'
  | 'record_invalid'
  | 'record_newer'
  | 'fenced'
  | 'host_locked'
  | 'temporal_unreachable'
  | 'temporal_version'
  | 'temporal_binary_missing'
  | 'no_worker'
  | 'sandbox_unavailable'
  | 'sandbox_gone'
  | 'sandbox_failed'
  | 'exec_already_started'
  | 'image_build_failed'
  | 'image_missing'
  | 'archive_refused'
  | 'task_invalid'
  | 'verifier_failed'
  | 'verifier_timeout'
  | 'model_unknown'
  | 'model_key_missing'
  | 'model_rejected'
  | 'model_context_overflow'
  | 'model_rate_limited'
  | 'model_unavailable'
  | 'model_tokens_invalid'
  | 'sink_unavailable'
  | 'sink_refused'
  | 'cancelled';

export interface LongrunErrorOptions {
  /** One sentence that a person can act on. */
  hint?: string;
  /** Whether the same call may succeed later without anyone changing anything. */
  retryable?: boolean;
  /** What the process exits with when this error ends it: 1 error, 2 usage or bad input. */
  exitCode?: number;
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** The one error class: an error that does not carry this marker is a bug, not an outcome. */
export class LongrunError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly exitCode: number;
  readonly details: Record<string, unknown>;
  readonly [MARKER] = true;

  constructor(code: ErrorCode, message: string, options: LongrunErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LongrunError';
    this.code = code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    this.exitCode = options.exitCode ?? (code === 'bad_input' || code === 'task_invalid' ? 2 : 1);
    this.details = options.details ?? {};
  }

  /** Recognises our errors across copies of the package. */
  static is(value: unknown, code?: ErrorCode): value is LongrunError {
    const marked = typeof value === 'object' && value !== null && MARKER in value;
    return marked && (code === undefined || (value as LongrunError).code === code);
  }

  /** Ours among an error and its causes: libraries wrap what they are given. */
  static within(error: unknown): LongrunError | null {
    for (let at = error, depth = 0; at != null && depth < MAX_CAUSES; at = (at as Error).cause, depth++)
      if (LongrunError.is(at)) return at;
    return null;
  }
}

/** Bad input from a user: names the place, what was found and what is accepted. Exit code 2. */
export function badInput(message: string, hint?: string, details?: Record<string, unknown>): LongrunError {
  return new LongrunError('bad_input', message, {
    exitCode: 2,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
}
