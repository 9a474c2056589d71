import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { describeSandboxConformance } from './conformance.js';

describeSandboxConformance('bubblewrap', () => new BubblewrapDriver(), { image: 'host' });
