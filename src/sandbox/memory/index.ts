export { MemoryDriver } from './memory-driver.js';
