#!/usr/bin/env node
/** Fails when the state folder's Temporal server still runs. */
import { serverStatus } from '../../dist/src/temporal/embedded-server.js';

const { running, pid } = serverStatus(process.argv[2]);
if (running) {
  console.error(`the server still runs (pid ${pid})`);
  process.exitCode = 1;
}
