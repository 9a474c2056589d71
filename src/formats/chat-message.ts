import type { ContentPart, MessageContent } from '../core/trajectory/content.schema.js';
import type { TrajectoryMessage } from '../core/trajectory/trajectory.schema.js';
import { argumentsObject } from './arguments-object.js';

/**
 * A message as OpenAI's chat API and chat templates name its fields. `arguments` of calls: `text` as the model
 * wrote them, or `object` as chat templates want them, where the text is one.
 */
export function chatMessage(
  message: TrajectoryMessage,
  callArguments: 'text' | 'object',
): Record<string, unknown> {
  const { role } = message;
  const content = contentValue(message.content);
  if (role === 'tool') return { role, content, tool_call_id: message.toolCallId, name: message.name };
  if (role !== 'assistant') return { role, content };
  const calls = message.toolCalls.map(({ id, type, function: { name, arguments: text } }) => ({
    id,
    type,
    function: { name, arguments: callArguments === 'text' ? text : (argumentsObject(text) ?? text) },
  }));
  return {
    role,
    content,
    ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function contentValue(content: MessageContent): unknown {
  return typeof content === 'string' ? content : content.map(partValue);
}

function partValue(part: ContentPart): unknown {
  switch (part.type) {
    case 'image_url':
      return { type: part.type, image_url: part.imageUrl };
    case 'image_file': {
      const { fileId, ...rest } = part.imageFile;
      return { type: part.type, image_file: { file_id: fileId, ...rest } };
    }
    case 'file': {
      const { fileData, fileId, filename } = part.file;
      return { type: part.type, file: { file_data: fileData, file_id: fileId, filename } };
    }
    default:
      return part;
  }
}
