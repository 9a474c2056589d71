export { BubblewrapDriver } from './bubblewrap-driver.js';
