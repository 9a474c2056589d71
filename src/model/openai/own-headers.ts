import type { ClientOptions } from 'openai';
import type { Endpoint } from '../endpoint.js';

export function isOfficial({ baseUrl }: Endpoint): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).origin === 'https://api.openai.com';
}

/**
 * The SDK reads headers from variables of its own, whatever endpoint it talks to. They are about an account at OpenAI,
 * and may hold a secret: nobody else is sent them.
 */
export function ownHeaders(
  endpoint: Endpoint,
  apiKey: string,
): Pick<ClientOptions, 'organization' | 'project' | 'defaultHeaders'> {
  if (isOfficial(endpoint)) return {};
  const lines = process.env.OPENAI_CUSTOM_HEADERS?.split('\n') ?? [];
  const names = lines.flatMap((line) => line.split(':')[0]?.trim().toLowerCase() || []);
  return {
    organization: null,
    project: null,
    defaultHeaders: {
      ...Object.fromEntries(names.map((name) => [name, null])),
      authorization: `Bearer ${apiKey}`,
    },
  };
}
