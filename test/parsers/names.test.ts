import { describe, expect, it } from 'vitest';
import { parse } from '../../src/parsers/index.js';
import { tools } from './tools.js';

const KNOWN = tools('read_file', 'write_file', 'web_search', 'terminal', 'finish');
const call = (name: string) => `<tool_call>{"name":${JSON.stringify(name)},"arguments":{}}</tool_call>`;
const named = (name: string, options = {}) =>
  parse(call(name), { family: 'hermes', tools: KNOWN, ...options }).toolCalls[0];

describe('a name that nearly is a tool’s', () => {
  it.each([
    ['Read_File', 'read_file'],
    ['READ-FILE', 'read_file'],
    ['read file', 'read_file'],
    ['readFile', 'read_file'],
    ['ReadFile', 'read_file'],
    ['read_file_tool', 'read_file'],
    ['ReadFileTool', 'read_file'],
    ['read_file_tool_tool', 'read_file'],
    ['web_searchweb_search', 'web_search'],
    ['functions.terminal', 'terminal'],
    ['terminl', 'terminal'],
    ['write_fille', 'write_file'],
  ])('%s is read as %s, and the repair is recorded', (written, meant) => {
    expect(named(written)).toMatchObject({ name: meant, repairs: [{ kind: 'name' }] });
  });

  it.each(['shell', 'read', 'file', 'delete_file', 'constructor', ''.padEnd(500, 'x')])(
    '%s is left alone',
    (name) => {
      const { toolCalls, notices } = parse(call(name), { family: 'hermes', tools: KNOWN });
      expect(toolCalls).toMatchObject([{ name, repairs: [] }]);
      expect(notices).toHaveLength(1);
    },
  );

  it('is left alone when two tools could be meant', () => {
    const both = tools('read_file', 'Read-File');
    expect(parse(call('readFile'), { family: 'hermes', tools: both }).toolCalls[0]?.name).toBe('readFile');
  });

  it('is left alone when repairs are turned off, and when no tools are known', () => {
    expect(named('readFile', { repairNames: false })).toMatchObject({ name: 'readFile', repairs: [] });
    expect(parse(call('readFile'), { family: 'hermes' }).toolCalls[0]?.name).toBe('readFile');
  });
});

describe('ids', () => {
  it('are unique within a text, whatever gives them', () => {
    const text = call('terminal').repeat(3);
    const ids = (options: object) =>
      parse(text, { family: 'hermes', ...options }).toolCalls.map(({ id }) => id);
    expect(ids({})).toEqual(['call_0', 'call_1', 'call_2']);
    expect(new Set(ids({ newId: () => 'same' })).size).toBe(3);
  });
});
