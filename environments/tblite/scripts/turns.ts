import type { ScriptedTurn } from '../../../src/model/scripted/script.js';

type Call = NonNullable<ScriptedTurn['toolCalls']>[number];

/** A dollar sign that a template literal takes for nothing else. */
export const D = '$';

/** What the model says, and the calls it makes. */
export const say = (content: string, ...toolCalls: Call[]): ScriptedTurn => ({ content, toolCalls });

/** The same with a thought in front of it. */
export const think = (reasoning: string, content: string, ...toolCalls: Call[]): ScriptedTurn => ({
  reasoning,
  content,
  toolCalls,
});

export const terminal = (command: string): Call => ({ name: 'terminal', arguments: { command } });
export const readFile = (path: string): Call => ({ name: 'read_file', arguments: { path } });
export const writeFile = (path: string, content: string): Call => ({
  name: 'write_file',
  arguments: { path, content },
});
export const patch = (path: string, oldString: string, newString: string): Call => ({
  name: 'patch',
  arguments: { path, old_string: oldString, new_string: newString },
});
export const searchFiles = (pattern: string, path: string): Call => ({
  name: 'search_files',
  arguments: { pattern, path },
});

/** A call as a model gets it wrong: no such tool, a missing parameter, arguments that are no JSON. */
export const mistaken = (name: string, args: Record<string, unknown> | string): Call => ({
  name,
  arguments: args,
});

export const plan = (...steps: string[]): Call => ({
  name: 'todo',
  arguments: {
    todos: steps.map((content, index) => ({ id: String(index + 1), content, status: 'pending' })),
  },
});

export const finish = (summary: string): ScriptedTurn => ({
  content: summary,
  toolCalls: [{ name: 'finish', arguments: { summary } }],
});
