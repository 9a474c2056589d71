export { checkFolder as checkTinkerFolder } from './batch-folder.js';
export { readTinkerTotals } from './ledger.js';
export { tinkerSink } from './tinker-sink.js';
export { readTrainerState } from './trainer-follower.js';
