import type { TrajectoryMessage } from '../../../src/core/trajectory/trajectory.schema.js';

export const system = (content = 'You solve tasks.'): TrajectoryMessage => ({
  role: 'system',
  content,
  label: null,
});

export const user = (content = 'Do it', label: string | null = null): TrajectoryMessage => ({
  role: 'user',
  content,
  label,
});

export const assistant = (content = 'Done.'): TrajectoryMessage => ({
  role: 'assistant',
  content,
  reasoning: null,
  toolCalls: [],
  label: null,
});

export const calling = (id = 'c1', args = '{"command":"ls"}'): TrajectoryMessage => ({
  role: 'assistant',
  content: '',
  reasoning: 'What is here?',
  toolCalls: [{ id, type: 'function', function: { name: 'terminal', arguments: args } }],
  label: null,
});

export const observation = (content = 'notes.txt', toolCallId = 'c1'): TrajectoryMessage => ({
  role: 'tool',
  content,
  toolCallId,
  name: 'terminal',
  label: 'observation',
});

/** Every kind of content part. */
export const PARTS_MESSAGE: TrajectoryMessage = {
  role: 'user',
  label: null,
  content: [
    { type: 'text', text: 'Look at these.' },
    { type: 'image', image: '/tmp/a.png' },
    { type: 'image_url', imageUrl: { url: 'https://example.org/b.png', detail: 'low' } },
    { type: 'image_url', imageUrl: { url: 'https://example.org/c.png' } },
    { type: 'image_file', imageFile: { fileId: 'file-1' } },
    { type: 'audio', audio: { data: 'UklGRg==', format: 'wav' } },
    { type: 'audio', audio: '/tmp/a.wav' },
    { type: 'file', file: { fileId: 'file-2', filename: 'notes.txt' } },
    { type: 'file', file: { fileData: 'bm90ZXM=' } },
  ],
};

/** With the fewest fields: what agoge defaults is left out. */
export const PARTS_TRAJECTORY = { timesteps: [{ chats: [{ messages: [PARTS_MESSAGE] }] }] };
