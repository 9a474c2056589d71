type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A trajectory as it was written before `schema_version` existed (version 0), in the shape of version 1;
 * any other value as it is. Version 0 differs in three things: a chat is the bare list of its messages, without
 * log-probabilities; an error is its message alone; there is no `episode_id`. One without a version that is
 * in today's shape is taken for version 1, as agoge does.
 */
export function migrateTrajectory(wire: unknown): unknown {
  if (!isObject(wire) || (wire.schema_version ?? 0) !== 0) return wire;
  const { timesteps, error_info: error } = wire;
  return {
    ...wire,
    ...(Array.isArray(timesteps) ? { timesteps: timesteps.map(migrateStep) } : {}),
    ...(typeof error === 'string'
      ? { error_info: { error_type: 'unknown', message: error, traceback: '' } }
      : {}),
    schema_version: 1,
  };
}

function migrateStep(step: unknown): unknown {
  if (!isObject(step) || !Array.isArray(step.chats)) return step;
  return { ...step, chats: step.chats.map((chat) => (Array.isArray(chat) ? { messages: chat } : chat)) };
}
