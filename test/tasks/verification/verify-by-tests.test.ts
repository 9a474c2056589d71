import { MemoryDriver } from '../../../src/sandbox/memory/index.js';
import { describeVerification } from '../support/scoring-cases.js';

describeVerification('in-memory', () => new MemoryDriver());
