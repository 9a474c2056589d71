import { z } from 'zod';

/** Where model calls go when somebody else than the owner of a run says so: over HTTP, with nothing secret in it. */
export const endpointUrlSchema = z
  .url({ protocol: /^https?$/ })
  .refine((url) => URL.canParse(url) && new URL(url).username + new URL(url).password === '', {
    error: 'an address that begins with http:// or https://, without user or password',
  });
