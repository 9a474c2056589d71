import { createHash } from 'node:crypto';
import type { EndpointName } from '../../core/endpoint/messages.js';
import { withoutTrailingSlashes } from '../../core/text/without-trailing-slashes.js';
import { DEFAULT_BASE_URL, type EndpointSettings, publicUrl } from '../endpoint.js';

const HASH_CHARACTERS = 24;

/** Runs with the same address and key share the endpoint's limits, whatever their models. */
export function endpointName({ baseUrl, apiKeyEnv }: EndpointSettings): EndpointName {
  const address = withoutTrailingSlashes(baseUrl ?? DEFAULT_BASE_URL);
  const hash = createHash('sha256')
    .update(JSON.stringify([address, apiKeyEnv]))
    .digest('hex');
  return { hash: hash.slice(0, HASH_CHARACTERS), baseUrl: publicUrl(address) };
}
