/** Every workflow type; the bundle's entry. */
export { endpoint } from './endpoint.js';
export { evaluate } from './evaluate.js';
export { group } from './group.js';
export { partition } from './partition.js';
export { process } from './process.js';
export { replay } from './replay.js';
export { rollout } from './rollout.js';
export { runBudget } from './run-budget.js';
export { serve } from './serve.js';
