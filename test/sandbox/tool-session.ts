import type { Tool, ToolAnswer, ToolContext } from '../../src/agent/tool.js';
import { toolsByName } from '../../src/agent/tools/registry.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { run, textOf } from './conformance/kit.js';

/** Makes tool calls in a sandbox as an agent's rollout does, one after the other. */
export class ToolSession {
  private readonly calls: { tool: string; arguments: string; content: string }[] = [];

  constructor(
    readonly sandbox: Sandbox,
    private readonly user: string | null = null,
  ) {}

  async call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    const tool = toolsByName([name])[0] as Tool;
    const problem = tool.check(args);
    if (problem !== null) throw new Error(problem);
    const plan = await tool.plan(args, this.context());
    const answer =
      plan.kind === 'answer'
        ? plan.answer
        : tool.finish(
            await run(this.sandbox, plan.request.script, { ...plan.request, user: this.user }),
            JSON.parse(JSON.stringify(plan.note)),
          );
    this.calls.push({ tool: name, arguments: JSON.stringify(args), content: answer.content });
    return answer;
  }

  /** What a command of the terminal tool answers. */
  async terminal(command: string, timeoutSec?: number): Promise<string> {
    const args = timeoutSec === undefined ? { command } : { command, timeout_sec: timeoutSec };
    return (await this.call('terminal', args)).content;
  }

  /** A look past the tools. */
  async look(script: string): Promise<string> {
    return textOf(await run(this.sandbox, script));
  }

  private context(): ToolContext {
    return {
      inspect: (script, options) => run(this.sandbox, script, { ...options, user: this.user }),
      user: this.user,
      remainingMs: 60_000,
      priorCalls: (tool) => this.calls.filter((call) => call.tool === tool),
    };
  }
}
