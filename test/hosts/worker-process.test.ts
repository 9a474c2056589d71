import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WorkerProcess } from '../../src/hosts/worker-process.js';
import { temporaryFolder } from '../support/state.js';

/** Answers the first questions after a while, each with its number. */
const ANSWERING = `
let asked = 0;
process.on('message', () => {
  const number = (asked += 1);
  setTimeout(() => process.send({ kind: 'health', report: { ready: true, document: { number } } }), 200);
});
process.on('disconnect', () => process.exit());
process.send({ kind: 'ready', address: 'here', hostId: 'one' });
`;

async function startWorker(): Promise<WorkerProcess> {
  const script = join(await temporaryFolder(), 'worker.mjs');
  await writeFile(script, ANSWERING);
  return await new Promise((resolve, reject) => {
    const worker = new WorkerProcess({
      script,
      args: [],
      env: process.env,
      onReady: () => resolve(worker),
    });
    void worker.ended.then((why) => reject(new Error(why)));
    onTestFinished(async () => {
      worker.stop();
      await worker.ended;
    });
  });
}

test('several who ask for the health of a worker at once are all answered', async () => {
  const worker = await startWorker();
  const reports = await Promise.all([worker.health(), worker.health(), worker.health()]);
  expect(reports.map(({ ready }) => ready)).toEqual([true, true, true]);
  // One question is enough for all of them, and who asks later gets an answer of then.
  expect(reports.map(({ document }) => document.number)).toEqual([1, 1, 1]);
  expect(await worker.health()).toEqual({ ready: true, document: { number: 2 } });
});
