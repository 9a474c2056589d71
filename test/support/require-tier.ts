import { inject } from 'vitest';

const missing = inject('missingPrerequisite');
if (missing !== null) throw new Error(`This tier of tests cannot run here: ${missing}`);
