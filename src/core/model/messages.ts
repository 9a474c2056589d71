/** One message of a conversation, in agoge's and OpenAI's shape (camel case in memory). */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** `label` names what a message is for (`task`, `observation`, `summary`), for history views. */
interface Labelled {
  label?: string | null;
}
export interface SystemMessage extends Labelled {
  role: 'system';
  content: string;
}
export interface UserMessage extends Labelled {
  role: 'user';
  content: string;
}
export interface AssistantMessage extends Labelled {
  role: 'assistant';
  content: string;
  reasoning: string | null;
  toolCalls: ToolCall[];
}
export interface ToolMessage extends Labelled {
  role: 'tool';
  content: string;
  toolCallId: string;
  name: string;
}

/** A tool call as the model wrote it: `arguments` is the raw text, parsed where it is executed. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A tool as the model is told of it; `parameters` is JSON Schema. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}
