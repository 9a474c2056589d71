import { describe, expect, it } from 'vitest';
import { policyOriginsOf, refusedEndpoint } from '../../src/model/policy-origins.js';
import { serveConfig } from '../support/serve-config.js';
import { threat } from '../support/threat.js';

const run = (policyOrigins: string[] | null, changes: { model?: string; baseUrl?: string | null } = {}) => ({
  model: 'm',
  baseUrl: 'http://10.0.0.5:8000/v1',
  ...changes,
  serve: serveConfig({ policyOrigins }),
});

describe(threat('a client of the HTTP API', 'other services of the network, by model calls'), () => {
  it('an endpoint is taken at the run’s own origin, and at those that it was started with', () => {
    for (const url of ['http://10.0.0.5:8000/v1', 'http://10.0.0.5:8000/other', 'http://10.0.0.9:8000/v1'])
      expect(refusedEndpoint(run(['http://10.0.0.9:8000']), url)).toBeNull();
    expect(refusedEndpoint(run([], { baseUrl: null }), 'https://api.openai.com/v1')).toBeNull();
  });

  it.each([
    'http://10.0.0.5:8001/v1',
    'https://10.0.0.5:8000/v1',
    'http://10.0.0.6:8000/v1',
    'http://127.0.0.1:2375/containers/json',
    'http://localhost:8000/v1',
    'http://10.0.0.5.example.com:8000/v1',
  ])('%s is another origin and refused, with what is accepted', (url) => {
    const refused = refusedEndpoint(run(['http://10.0.0.9:8000']), url);
    expect(refused?.why).toContain(new URL(url).origin);
    expect(refused?.accepted).toContain(
      'an address at http://10.0.0.5:8000 or http://10.0.0.9:8000; --policy-origin',
    );
  });

  it('a run of scripted answers has no endpoint of its own', () => {
    expect(
      refusedEndpoint(run([], { model: 'scripted/demo', baseUrl: null }), 'https://api.openai.com/v1'),
    ).not.toBeNull();
  });

  it('metadata services are refused though they are listed, and cannot be listed', () => {
    expect(refusedEndpoint(run(['http://169.254.169.254']), 'http://169.254.169.254/v1')?.why).toContain(
      'metadata',
    );
    expect(refusedEndpoint(run(null), 'http://2852039166/v1')?.why).toContain('metadata');
    expect(() => policyOriginsOf(['http://[::ffff:a9fe:a9fe]'])).toThrow(/--policy-origin.*metadata/);
  });

  it('a run of before there was a list goes on as it was', () => {
    expect(refusedEndpoint(run(null), 'http://10.0.0.6:8000/v1')).toBeNull();
  });
});

it('origins are listed without a path', () => {
  expect(policyOriginsOf(['http://b:80', 'HTTP://A:1/', 'http://a:1'])).toEqual(['http://a:1', 'http://b']);
  expect(() => policyOriginsOf(['http://a:1/v1'])).toThrow(
    expect.objectContaining({ code: 'bad_input', hint: 'Did you mean http://a:1?' }),
  );
});
