export { checkModel } from './check-model.js';
export { estimatePrompt, estimateTokens } from './estimate-tokens.js';
export type { ModelClient, ModelRequest, ModelResponse } from './model-client.js';
export { knownContextWindow, type ModelConfig, type ModelDependencies, ModelRegistry } from './registry.js';
export type { ScriptedTurn, TaskScript } from './scripted/script.js';
export { isScripted, SCRIPTED_NAMES } from './scripted/scripted-name.js';
