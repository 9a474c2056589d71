import type { ArtifactStore } from '../../src/store/store.js';
import { lostResult, result } from '../store/fixtures.js';
import { attemptOf, recordRun, task, turns, verdict } from './recorded-run.js';

/**
 * Every kind of ending: solved, failed with broken arguments, lost after a retry, two reward keys,
 * two steps, out of time, cancelled, never said a word.
 */
export async function recordExampleRun(store: ArtifactStore): Promise<void> {
  const tasks = [
    task('solved'),
    task('lost'),
    task('keys', ['main'], 'shell'),
    task('steps', ['one', 'two']),
    task('ends'),
  ];
  const ended = { taskId: 'ends', category: 'file_ops' };
  await recordRun(store, tasks, [
    { result: result({ taskId: 'solved', category: 'file_ops' }), turns: [turns()], verdicts: [verdict()] },
    {
      result: result({
        taskId: 'solved',
        sample: 1,
        reward: 0,
        rewards: { reward: 0 },
        category: 'file_ops',
      }),
      turns: [
        turns('{"command": ls', {
          success: false,
          error: 'bad_arguments',
          exitCode: null,
          content: '\u001b[31mno\u001b[0m',
        }),
      ],
      verdicts: [verdict({ reward: 0, rewards: { reward: 0 }, testOutput: '1 failed\n' })],
    },
    {
      result: lostResult({ taskId: 'lost', attempt: 2, attempts: 2, turns: 0, category: 'file_ops' }),
      earlier: [attemptOf(lostResult({ taskId: 'lost', attempt: 1 }))],
    },
    {
      result: result({ taskId: 'keys', reward: 0.5, rewards: { reward: 0.5, style: 1 }, category: 'shell' }),
      turns: [turns()],
      verdicts: [verdict({ reward: 0.5, rewards: { reward: 0.5, style: 1 } })],
    },
    {
      result: result({ taskId: 'steps', category: 'file_ops' }),
      turns: [turns(), turns()],
      verdicts: [verdict({ step: 'one' }), verdict({ step: 'two' })],
    },
    {
      result: result({ ...ended, stopReason: 'wall_timeout', reward: 0, rewards: { reward: 0 } }),
      turns: [turns()],
      verdicts: [verdict({ reward: 0, rewards: { reward: 0 } })],
    },
    {
      result: lostResult({
        ...ended,
        sample: 1,
        stopReason: 'cancelled',
        failureClass: 'operator',
        failure: null,
      }),
      turns: [turns()],
    },
    { result: result({ ...ended, sample: 2, turns: 0 }), turns: [[]], verdicts: [verdict()] },
  ]);
}
