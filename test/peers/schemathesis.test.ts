import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FuzzedListener } from '../sinks/listen/http/fuzz/fuzzed-listener.js';
import { temporaryFolder } from '../support/state.js';
import { threat } from '../support/threat.js';
import { missingPeers, runPeer } from './support/python.js';
import { trainerPaths } from './support/trainer-open-api.js';

vi.setConfig({ testTimeout: 120_000 });
if (missingPeers() !== null) throw new Error(missingPeers() ?? '');

/** Of each operation, beside those that cover its description. */
const EXAMPLES = 10;
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_schema_conformance', 'response_headers_conformance'],
];

describe(threat('a client of the HTTP API', 'the process that answers everybody'), () => {
  it('whatever the description of the API allows or forbids is answered as it says', async () => {
    const listener = await FuzzedListener.start();
    const folder = await temporaryFolder();
    const document = join(folder, 'openapi.json');
    await writeFile(document, JSON.stringify(await described(listener)));
    const seed = Number(process.env.LONGRUN_FUZZ_SEED ?? Date.now() % 2 ** 31);
    const args = [
      ...['schemathesis.cli', 'run', document, '--url', listener.url, '--seed', String(seed)],
      ...[
        '--phases',
        'examples,coverage,fuzzing',
        '--max-examples',
        String(EXAMPLES),
        '--checks',
        CHECKS.join(','),
      ],
      ...['--request-timeout', '10', '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'],
      ...['--continue-on-failure', '--generation-database', 'none'],
    ];
    const { exitCode, stdout, stderr } = await runPeer('-m', args, '', folder);
    expect(exitCode, `LONGRUN_FUZZ_SEED=${seed}\n${stdout}\n${stderr}`).toBe(0);
    const [generated] = /\d+ generated/.exec(stdout) ?? ['0'];
    console.info(`seed ${seed}: ${generated}`);
    expect(Number.parseInt(generated, 10)).toBeGreaterThan(100);
  });
});

/** Both APIs; but for the time that an answer may be waited for, which would be all the time there is. */
async function described(listener: FuzzedListener): Promise<unknown> {
  const { text } = await listener.ask({ method: 'GET', path: '/openapi.json', body: null });
  const document = JSON.parse(text.replaceAll('"maximum":600', '"maximum":0'));
  return { ...document, paths: { ...document.paths, ...trainerPaths } };
}
