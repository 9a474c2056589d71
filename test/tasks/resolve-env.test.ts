// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of task.toml
import { describe, expect, it } from 'vitest';
import { resolveEnv } from '../../src/tasks/resolve-env.js';

describe("a task's environment is filled from the host's", () => {
  const HOST = { KEY: 'secret', EMPTY: '' };
  const FILLED: [value: string, becomes: string][] = [
    ['plain', 'plain'],
    ['$KEY costs $5 {x}', '$KEY costs $5 {x}'],
    ['${KEY}', 'secret'],
    ['${KEY:-other}', 'secret'],
    ['${NONE:-other}', 'other'],
    ['${NONE:-}', ''],
    ['${EMPTY}', ''],
    ['${EMPTY:-other}', ''],
    ['https://${NONE:-localhost}:${KEY}/v1', 'https://localhost:secret/v1'],
    ['${NONE:-{"a": {"b": 1}}}', '{"a": {"b": 1}}'],
    ['${NONE:-a b:-c}', 'a b:-c'],
  ];
  it.each(FILLED)('%s', (value, becomes) => {
    expect(resolveEnv({ X: value }, HOST)).toEqual({ X: becomes });
  });

  it('or an error names every variable that is missing', () => {
    const env = { A: '${ONE}', B: 'x-${TWO}', C: '${THREE:-3}' };
    expect(() => resolveEnv(env, {})).toThrow(
      expect.objectContaining({ code: 'task_invalid', message: expect.stringContaining('ONE, TWO') }),
    );
  });

  it('and not from what every object of the language has', () => {
    expect(resolveEnv({ X: '${constructor:-none} ${toString:-none}' }, HOST)).toEqual({ X: 'none none' });
    expect(() => resolveEnv({ X: '${valueOf}' }, HOST)).toThrow('valueOf');
  });
});
