import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import { describeSandboxConformance } from './conformance.js';

describeSandboxConformance('in-memory', () => new MemoryDriver(), { image: 'any' });
