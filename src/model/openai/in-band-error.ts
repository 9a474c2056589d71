/** Gateways answer 200 and put the provider's failure in the body; it is treated as the status it names. */
export class InBandError extends Error {
  readonly status: number;

  constructor(
    readonly error: unknown,
    readonly headers: Headers,
  ) {
    super('the body holds an error');
    const code = Number((error as { code?: unknown } | null)?.code);
    this.status = Number.isInteger(code) && code >= 400 && code < 600 ? code : 502;
  }
}

/** Throws when the body is an error instead of a completion. */
export function refuseInBandError(body: unknown, headers: Headers): void {
  if (typeof body !== 'object' || body === null || !('error' in body) || body.error == null) return;
  if ('choices' in body && Array.isArray(body.choices) && body.choices.length > 0) return;
  throw new InBandError(body.error, headers);
}
