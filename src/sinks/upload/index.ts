export { checkEndpoint } from './receiver.js';
export { type UploadOptions, type UploadReport, uploadEpisodes } from './upload-episodes.js';
export { type ParkedRow, uploadLedgerFile } from './upload-ledger.js';
