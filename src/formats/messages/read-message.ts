import { badInput } from '../../core/errors.js';
import type { ContentPart, MessageContent } from '../../core/trajectory/content.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { isJsonObject } from '../json-spacing.js';

type Json = Readonly<Record<string, unknown>>;

/** One OpenAI chat message. `at` names it in errors. Errors: `bad_input` for what is none. */
export function readMessage(value: unknown, at: string): TrajectoryMessage {
  const message = isJsonObject(value) ? value : {};
  const content = readContent(message.content, at);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content, label: null };
    case 'user':
      return { role: 'user', content, label: null };
    case 'assistant':
      return {
        role: 'assistant',
        content,
        reasoning: reasoningOf(message),
        toolCalls: callsOf(message, at),
        label: null,
      };
    case 'tool':
      return {
        role: 'tool',
        content,
        toolCallId: textOr(message.tool_call_id, ''),
        name: textOr(message.name, ''),
        label: null,
      };
    default:
      throw badInput(`${at}.role: found ${show(message.role)}, accepted: system, user, assistant, tool`);
  }
}

/** Under the names that different servers use. */
function reasoningOf(message: Json): string | null {
  const found = message.reasoning_content ?? message.reasoning;
  return typeof found === 'string' && found !== '' ? found : null;
}

type ToolCalls = Extract<TrajectoryMessage, { role: 'assistant' }>['toolCalls'];

function callsOf(message: Json, at: string): ToolCalls {
  const calls = message.tool_calls ?? [];
  if (!Array.isArray(calls))
    throw badInput(`${at}.tool_calls: found ${show(calls)}, accepted: a list of calls`);
  return calls.map((call: unknown, i) => {
    const called = isJsonObject(call) && isJsonObject(call.function) ? call.function : call;
    const { name, arguments: given } = isJsonObject(called) ? called : {};
    if (typeof name !== 'string')
      throw badInput(`${at}.tool_calls.${i}.function.name: found ${show(name)}, accepted: a string`);
    const id =
      isJsonObject(call) && typeof call.id === 'string' ? call.id : `${at.replace(/\D/g, '')}_call_${i}`;
    const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
    return { id, type: 'function' as const, function: { name, arguments: text } };
  });
}

function readContent(content: unknown, at: string): MessageContent {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content))
    throw badInput(`${at}.content: found ${show(content)}, accepted: a string or parts`);
  return content.map((part, i) => readPart(part, `${at}.content.${i}`));
}

/** Members of columns that other rows filled are null. */
function readPart(value: unknown, at: string): ContentPart {
  const part = isJsonObject(value) ? value : {};
  const { image_url: url, image_file: file, input_audio: input } = part;
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text };
  if (part.type === 'image' && typeof part.image === 'string') return { type: 'image', image: part.image };
  if (part.type === 'image_url' && isJsonObject(url) && typeof url.url === 'string')
    return { type: 'image_url', imageUrl: { url: url.url, ...detailOf(url) } };
  if (part.type === 'image_file' && isJsonObject(file) && typeof file.file_id === 'string')
    return { type: 'image_file', imageFile: { fileId: file.file_id, ...detailOf(file) } };
  const audio = part.type === 'input_audio' ? input : part.audio;
  if (typeof audio === 'string') return { type: 'audio', audio };
  if (isJsonObject(audio) && typeof audio.data === 'string')
    return { type: 'audio', audio: { data: audio.data, format: textOr(audio.format, 'wav') } };
  if (part.type === 'file' && isJsonObject(part.file)) return { type: 'file', file: fileOf(part.file) };
  throw badInput(
    `${at}: found ${show(value)}, accepted: parts of type text, image, image_url, image_file, audio, file`,
  );
}

const detailOf = ({ detail }: Json): { detail?: string } => (typeof detail === 'string' ? { detail } : {});

function fileOf({
  file_data: data,
  file_id: id,
  filename,
}: Json): Extract<ContentPart, { type: 'file' }>['file'] {
  return {
    ...(typeof data === 'string' ? { fileData: data } : {}),
    ...(typeof id === 'string' ? { fileId: id } : {}),
    ...(typeof filename === 'string' ? { filename } : {}),
  };
}

const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);
const show = (value: unknown): string =>
  value === undefined ? 'nothing' : (JSON.stringify(value) ?? '').slice(0, 80);
