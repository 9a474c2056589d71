export { type BodyProblem, RefusedBody } from '../refused-body.js';
export { checkRequest } from './check-request.js';
export { type ClientLimits, createServer, listenOn, type ServerOptions } from './create-server.js';
export { listenSink } from './listen-sink.js';
export type { ServerExtension } from './server-extension.js';
export { trainerApi } from './trainer-api.js';
export { policyRequestSchema } from './trainer-requests.schema.js';
