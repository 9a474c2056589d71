import { describe, expect, it } from 'vitest';
import { createLogger, secretValues } from '../../src/cli/logger.js';
import { threat } from '../support/threat.js';

const KEY = 'sk-very-secret-value';

function logged(pretty: boolean, log: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  const write = (line: string): void => {
    text += line;
  };
  log(createLogger({ level: 'info', pretty, colour: false, secrets: [KEY], write }));
  return text;
}

describe('the log', () => {
  for (const pretty of [true, false]) {
    it(`never holds a secret (${pretty ? 'for people' : 'as JSON'})`, () => {
      const text = logged(pretty, (log) => {
        log.info(
          { apiKey: 'a', nested: { authorization: 'Bearer b', clientSecret: 'c' } },
          `called with ${KEY}`,
        );
        log.error({ err: new Error(`refused: ${KEY}`) }, 'failed');
      });
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('Bearer b');
      expect(text).toContain('[redacted]');
    });
  }

  it('keeps counts of tokens', () => {
    expect(logged(false, (log) => log.info({ promptTokens: 12 }, 'x'))).toContain('"promptTokens":12');
  });

  it('is quiet below its level', () => {
    expect(logged(false, (log) => log.debug('x'))).toBe('');
  });

  it('knows the secrets of the environment', () => {
    const env = { MY_KEY_HOLDER: KEY, OTHER_TOKEN: 'token-value', PATH: '/bin' };
    expect(secretValues(env, 'MY_KEY_HOLDER')).toEqual([KEY, 'token-value']);
  });
});

describe(threat('a client of the HTTP API', 'the terminal of whoever looks at the run'), () => {
  it('what a message or an error of the log quotes from outside is shown as signs', () => {
    const name = '\u001b]52;c;aGk=\u0007\u009b2J\u202ex';
    const text = logged(true, (log) =>
      log.warn({ name, err: new Error(name), deep: [{ name }] }, `said ${name}`),
    );
    expect(text).toContain('said ␛]52;c;aGk=␇');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
