export { jsonlSink } from './jsonl-sink.js';
