import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTokenizer } from '../../src/model/tokenizer/open-tokenizer.js';
import { temporaryFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';

const refused = async (...argv: string[]) => {
  const answer = await longrun(['model', 'serve-scripted', '--port', '0', ...argv]);
  expect(answer.code).toBe(2);
  return answer.stderr;
};

describe('longrun model serve-scripted', () => {
  it('plays scripts of one’s own until Ctrl-C, with a tokenizer that a run can be given', async () => {
    const folder = await temporaryFolder();
    const answers = [{ tool_calls: [{ name: 'terminal', arguments: { command: 'ls' } }] }];
    const variants = { solves: answers, fails: answers, partly: answers };
    const scripts = join(folder, 'scripts.json');
    await writeFile(scripts, JSON.stringify([{ recognise: 'Count the ships', variants }]));
    const more = [
      '--write-tokenizer',
      join(folder, 'tokenizer'),
      '--scripts',
      scripts,
      '--policy-version',
      '9',
    ];
    const cli = startLongrun(['model', 'serve-scripted', '--port', '0', '--json', ...more], {});
    onTestFinished(() => void cli.process.kill('SIGKILL'));
    await until(() => cli.output.stdout.includes('\n}'), { what: 'it says where it listens' });
    const { base_url: url, tokenizer: name } = JSON.parse(cli.output.stdout);
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'solver',
        messages: [{ role: 'user', content: 'Count the ships.' }],
        tools: [{ type: 'function', function: { name: 'terminal' } }],
        ...{ return_token_ids: true, logprobs: true },
      }),
    });
    expect(response.headers.get('x-policy-version')).toBe('9');
    // biome-ignore lint/suspicious/noExplicitAny: an answer as it came.
    const { choices } = (await response.json()) as any;
    expect(choices[0].message.tool_calls[0].function).toEqual({
      name: 'terminal',
      arguments: '{"command":"ls"}',
    });
    const tokenizer = await openTokenizer(join(folder, 'tokenizer'));
    expect(tokenizer.decode(choices[0].token_ids)).toContain('"command": "ls"');
    expect(tokenizer.name.split('@')[1]).toBe(name.split('@')[1]);
    cli.process.kill('SIGINT');
    expect(await cli.ended).toBe(0);
  });

  it('names what it cannot use', async () => {
    expect(await refused('--fail', 'errors:0.1')).toContain(
      '--fail: found "errors:0.1", accepted: rate-limit, error',
    );
    expect(await refused('--fail', 'error:1.5')).toContain('--fail: found "error:1.5"');
    expect(await refused('--family', 'gnome')).toContain('--family: found "gnome", accepted: hermes');
    expect(await refused('--usual-bias', 'much')).toContain('--usual-bias: found "much"');
    const folder = await temporaryFolder();
    expect(await refused('--tokenizer', folder)).toContain(join(folder, 'tokenizer.json'));
    const scripts = join(folder, 'scripts.json');
    await writeFile(scripts, JSON.stringify([{ recognise: 'x', variants: { solves: [] } }]));
    expect(await refused('--scripts', scripts)).toContain(`--scripts: ${scripts}: at 0.variants.solves`);
  });
});
