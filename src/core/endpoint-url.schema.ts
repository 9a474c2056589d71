import { z } from 'zod';

const MAX_URL = 2_000;

/** An address over HTTP without user or password; `error`: what is said of one that has them. */
const withoutUser = (error: string) =>
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => URL.canParse(url) && new URL(url).username + new URL(url).password === '', { error });

/** Where model calls go when somebody else than the owner of a run says so: over HTTP, with nothing secret in it. */
export const endpointUrlSchema = withoutUser(
  'an address that begins with http:// or https://, without user or password',
).max(MAX_URL);

/** An address in the settings of a run, which are recorded and shown; `instead`: where a secret goes. */
export const settingUrlSchema = (instead: string) =>
  withoutUser(`an address without user or password; ${instead}`);
