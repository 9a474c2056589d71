import type { SamplingTokenizer, TemplateValue } from '../../core/model/chat-tokenizer.js';
import { renderToolCalls } from '../../parsers/index.js';
import { nextAnswer } from '../scripted/next-answer.js';
import type { ScriptedTurn, TaskScript } from '../scripted/script.js';
import { SCRIPTED_PREFIX } from '../scripted/scripted-name.js';
import { scriptedCallId } from '../scripted/turn-position.js';

/** What is asked of a policy, by whatever API. */
export interface Asked {
  model: string;
  seed: number;
  /** Answers before this one in the conversation. */
  turn: number;
  /** In which the task is recognised. */
  task: string;
  /** False: whoever asks wants plain text. */
  tools: boolean;
}

/** What a policy says, how long it takes, and how it spells it where that is another way than usual. */
type Said = ScriptedTurn & { delayMs?: number; usualBias?: number };
/** May wait for something before it speaks. */
export type Policy = (asked: Asked) => Said | Promise<Said>;

/** The scripted models, under their names without `scripted/`: that prefix means those within longrun itself. */
export function scriptedPolicy(scripts: readonly TaskScript[]): Policy {
  return ({ model, seed, turn, task, tools }) => {
    const name = model.startsWith(SCRIPTED_PREFIX) ? model : SCRIPTED_PREFIX + model;
    const messages = [{ role: 'user', content: task }];
    const request = { model: name, messages, tools: tools ? [{}] : [], seed };
    const { answer, delayMs } = nextAnswer(request, scripts, String(turn));
    return { ...answer, delayMs };
  };
}

/** The text that a model samples for an answer, end of turn left out: calls as a family writes them, else as the chat template does. */
export function spokenText(
  answer: ScriptedTurn,
  turn: number,
  tokenizer: SamplingTokenizer,
  family: string | null,
): string {
  const calls = objectCalls(answer, turn);
  if (family === null && calls !== null) {
    const rendered = templateText(answer, calls, tokenizer);
    if (rendered !== null) return rendered;
  }
  const thoughts = answer.reasoning ? `<think>\n${answer.reasoning}\n</think>` : '';
  const written = calls === null ? brokenCalls(answer) : renderToolCalls(family ?? 'hermes', calls);
  return [thoughts, answer.content ?? '', written].filter((part) => part !== '').join('\n');
}

/** Null where the arguments of a call are no object: no family can write them. */
function objectCalls({ toolCalls = [] }: ScriptedTurn, turn: number) {
  const calls = toolCalls.map(({ name, arguments: args }, i) => ({
    id: scriptedCallId(turn, i),
    name,
    arguments: typeof args === 'string' ? objectOf(args) : args,
  }));
  return calls.every(
    (call): call is typeof call & { arguments: Record<string, unknown> } => call.arguments !== null,
  )
    ? calls
    : null;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function templateText(
  { content = '', reasoning }: ScriptedTurn,
  calls: readonly { id: string; name: string; arguments: Record<string, unknown> }[],
  tokenizer: SamplingTokenizer,
): string | null {
  const question: TemplateValue = { role: 'user', content: '?' };
  const tool_calls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  const answer: TemplateValue = {
    ...{ role: 'assistant', content },
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls } : {}),
  };
  try {
    const options = { tools: [], now: 0 };
    const prompt = tokenizer.render([question], { ...options, generationPrompt: true });
    const whole = tokenizer.render([question, answer], { ...options, generationPrompt: false });
    const end = tokenizer.endOfTurn === null ? -1 : whole.lastIndexOf(tokenizer.endOfTurn);
    return whole.startsWith(prompt) && end >= prompt.length ? whole.slice(prompt.length, end) : null;
  } catch {
    return null;
  }
}

function brokenCalls({ toolCalls = [] }: ScriptedTurn): string {
  return toolCalls
    .map(({ name, arguments: args }) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}\n</tool_call>`;
    })
    .join('\n');
}
