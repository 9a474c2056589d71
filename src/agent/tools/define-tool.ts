import { z } from 'zod';
import type { ExecResult } from '../../sandbox/sandbox.js';
import type { Tool, ToolAnswer, ToolContext, ToolPlan } from '../tool.js';

/** A tool as it is written: one zod schema tells the model, checks what it sends and types `plan`. */
export interface ToolDefinition<Shape extends z.ZodObject> {
  name: string;
  description: string;
  parameters: Shape;
  plan(args: z.output<Shape>, context: ToolContext): ToolPlan | Promise<ToolPlan>;
  /** Only for tools whose plan is an effect. */
  finish?(result: ExecResult, note: unknown): ToolAnswer;
}

export function defineTool<Shape extends z.ZodObject>(definition: ToolDefinition<Shape>): Tool {
  const { name, description, parameters } = definition;
  const { $schema, ...jsonSchema } = z.toJSONSchema(parameters, { io: 'input' });
  return {
    schema: { name, description, parameters: jsonSchema },
    check(args) {
      const parsed = parameters.safeParse(args);
      return parsed.success ? null : describe(parsed.error, args, parameters);
    },
    async plan(args, context) {
      return definition.plan(parameters.parse(args), context);
    },
    finish(result, note) {
      if (!definition.finish) throw new Error(`${name} runs no command`);
      return definition.finish(result, note);
    },
  };
}

/** Every problem on a line of its own, then the shape that is accepted. */
function describe(error: z.ZodError, args: Record<string, unknown>, parameters: z.ZodObject): string {
  const known = Object.keys(parameters.shape);
  const unknown = Object.keys(args).filter((key) => !known.includes(key));
  const problems = error.issues.map((issue) => {
    const path = issue.path.join('.');
    return path === '' ? issue.message : `"${path}": ${issue.message}`;
  });
  if (unknown.length > 0) problems.push(`not known: ${unknown.map((key) => `"${key}"`).join(', ')}`);
  return `${problems.join('\n')}\nAccepted: ${shapeOf(parameters)}`;
}

/** `{"command": string, "timeout_sec"?: number}` */
function shapeOf(parameters: z.ZodObject): string {
  const schema = z.toJSONSchema(parameters, { io: 'input' });
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const { type, enum: choices } = value as { type?: string; enum?: unknown[] };
    const kind = choices ? choices.map((choice) => JSON.stringify(choice)).join(' | ') : (type ?? 'value');
    return `"${key}"${required.has(key) ? '' : '?'}: ${kind}`;
  });
  return `{${fields.join(', ')}}`;
}

export const answer = (content: string): ToolPlan => ({
  kind: 'answer',
  answer: { content, success: true, error: null },
});

/** An answer that says what went wrong; nothing was changed. */
export const failure = (content: string): ToolPlan => ({
  kind: 'answer',
  answer: { content, success: false, error: 'failed' },
});
