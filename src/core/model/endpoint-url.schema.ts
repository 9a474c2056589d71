import { z } from 'zod';

const MAX_URL = 2_000;

/** An address over HTTP without what may be a secret; `error`: what is said of one that has it. */
const withoutSecret = (error: string) =>
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => URL.canParse(url) && hasPlaceAlone(new URL(url)), { error });

const hasPlaceAlone = ({ username, password, search, hash }: URL): boolean =>
  username + password + search + hash === '';

/** Where model calls go when somebody else than the owner of a run says so: over HTTP, with nothing secret in it. */
export const endpointUrlSchema = withoutSecret(
  'an address that begins with http:// or https://, without user, password or query',
).max(MAX_URL);

/** An address in the settings of a run, which are recorded and shown; `instead`: where a secret goes. */
export const settingUrlSchema = (instead: string) =>
  withoutSecret(`an address without user, password or query; ${instead}`);
