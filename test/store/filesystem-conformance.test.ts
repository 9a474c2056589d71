import { describe } from 'vitest';
import { storeConformance } from './conformance.js';
import { tempStore } from './temp-store.js';

describe('a store in a folder', () => storeConformance(tempStore));
