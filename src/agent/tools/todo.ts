import { z } from 'zod';
import { answer, defineTool } from './define-tool.js';

const itemSchema = z.object({
  id: z.string().min(1).max(100),
  content: z.string().max(2_000),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
});
export type TodoItem = z.infer<typeof itemSchema>;

const parameters = z.object({
  todos: z.array(itemSchema).max(200).optional().describe('Items to set; leave out to read the list'),
  merge: z
    .boolean()
    .default(false)
    .describe('Change or add the given items by id and keep the others, instead of replacing the list'),
});

const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]', cancelled: '[-]' } as const;

/** A plan of one's own. There is no state but the recorded calls: the list is what they amount to. */
export const todo = defineTool({
  name: 'todo',
  description: 'Keeps a list of what is to be done, for work of several steps. Answers the whole list.',
  parameters,
  plan(args, context) {
    const before = context.priorCalls('todo').flatMap((call) => recorded(call.arguments));
    const items = [...before, args].reduce(applyTodo, []);
    return answer(render(items));
  },
});

type TodoArguments = z.output<typeof parameters>;

/** The list after one more call. */
export function applyTodo(items: TodoItem[], { todos, merge }: TodoArguments): TodoItem[] {
  if (todos === undefined) return items;
  const list = new Map((merge ? items : []).map((item) => [item.id, item]));
  for (const item of todos) list.set(item.id, item);
  return [...list.values()];
}

/** Calls that were refused changed nothing. */
function recorded(text: string): TodoArguments[] {
  try {
    const parsed = parameters.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

function render(items: TodoItem[]): string {
  if (items.length === 0) return 'The list is empty.';
  const done = items.filter((item) => item.status === 'completed').length;
  const lines = items.map((item) => `${MARKS[item.status]} ${item.id}: ${item.content}`);
  return `${lines.join('\n')}\n${done} of ${items.length} completed`;
}
