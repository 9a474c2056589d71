import { posted, registration } from '../../support/listening.js';

export interface GoodRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body: string;
}

const ENV = {
  max_token_length: 512,
  desired_name: 'e',
  weight: 1,
  group_size: 4,
  min_batch_allocation: 0.25,
};
const GROUP = {
  ...posted(4, 1),
  ...{
    advantages: [
      [0.5, 0, 0],
      [0.5, 0, 0],
      [0.5, 0, 0],
      [0.5, 0, 0],
    ],
    ref_logprobs: null,
    env_id: 0,
    images: null,
  },
  ...{ messages: [[{ role: 'user', content: 'a "quoted"\n text' }]], overrides: [{ a: 1 }, {}, {}, {}] },
  ...{
    group_overrides: { group_id: 'theirs', item: 1, delivery: { n: 1 } },
    generation_params: { temperature: 0.7 },
  },
  ...{
    distill_token_ids: [[[1, 2]], [[1]], [[1]], [[1]]],
    distill_logprobs: [[[-1, -2.5]], [[-1]], [[-1]], [[-1]]],
  },
};

const request = (method: GoodRequest['method'], path: string, body: unknown): GoodRequest => ({
  ...{ method, path },
  body: JSON.stringify(body),
});

/** One of each route that reads a body. */
export const GOOD_REQUESTS: readonly GoodRequest[] = [
  request('POST', '/register', registration(8)),
  request('POST', '/register-env', ENV),
  request('POST', '/disconnect-env', { env_id: 0 }),
  request('GET', '/status-env', { env_id: 0 }),
  request('POST', '/scored_data', GROUP),
  request('POST', '/scored_data_list', [GROUP, { ...posted(4, 2), group_overrides: { group_id: 'b' } }]),
  request('POST', '/v1/policy', { version: '7', model: 'm', base_url: 'http://127.0.0.1:9/v1' }),
  request('POST', '/v1/items', { n: 2, consumer: 'me', cursor: 3, environment: null }),
  request('POST', '/v1/rollouts', {
    ...{ id: 'a', environment: 'test', item: 't0', consumer: 'me', group_size: 4, seed: 7, wait: 0 },
    policy: { version: '1', model: 'm', base_url: 'http://127.0.0.1:9/v1' },
  }),
];

/** Paths and queries, with what is often at fault in them. */
export const PATHS: readonly string[] = [
  ...[
    '/batch?ack=0',
    '/batch?ack=1e308',
    '/batch?ack=9007199254740993',
    '/batch?ack=-1',
    '/batch?ack=0&ack=1',
  ],
  ...[
    '/status-env?env_id=0',
    '/status-env?env_id=%00',
    '/status-env?env_id=1e99',
    '/latest_example',
    '/v1/repeats',
  ],
  ...[
    '/v1/rollouts/a?wait=0',
    '/v1/rollouts/a?wait=1e9',
    '/v1/rollouts/%2e%2e%2f',
    '/v1/rollouts/%ff',
    '/%zz',
  ],
  ...[
    `/v1/rollouts/${'a'.repeat(5_000)}`,
    '/v1/rollouts/a?wait=__proto__',
    '/v1/rollouts/a?__proto__=1',
    '/v1//items',
  ],
  ...[
    '/v1/environments',
    '/openapi.json',
    '/info',
    '/status',
    '/wandb_info',
    '/?%',
    '/v1/rollouts/a?wait[]=1',
  ],
];
