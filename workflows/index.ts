/** Every workflow type; the bundle's entry. */
export { evaluate } from './evaluate.js';
export { partition } from './partition.js';
export { rollout } from './rollout.js';
