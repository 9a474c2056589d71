import { expect, test } from 'vitest';
import { renderRunRows } from '../../src/cli/runs/render-rows.js';
import { plainStyle } from '../../src/report/style.js';
import type { RunRow } from '../../src/runs/status/run-rows.js';

const row = (changes: Partial<RunRow>): RunRow => ({
  ...{
    runId: 'r',
    status: 'finished',
    mode: 'evaluate',
    environment: 'e',
    model: 'm',
    agent: 'tool-calling',
  },
  ...{
    createdAt: 0,
    nRollouts: 4,
    nDone: 4,
    passAt1: 0.5,
    meanReward: 0.5,
    costUsd: 0.25,
    requestedBy: null,
  },
  ...changes,
});

test('the list of runs says of each what kind of run it is, and which were asked for', () => {
  const rows = [
    row({ runId: 'feed', status: 'running', mode: 'serve', passAt1: null, costUsd: null }),
    row({ runId: 'feed.1', mode: 'process', requestedBy: 'feed' }),
    row({ runId: 'tb', model: null, agent: 'oracle' }),
  ];
  expect(renderRunRows(rows, { style: plainStyle, columns: 100 })).toMatchInlineSnapshot(`
    [
      "run      status                 type       model          done   pass@1    cost   started",
      "feed     running                serve      m               4/4        —       —   1970-01-01 00:00",
      "feed.1   finished, on request   process    m               4/4   50.0 %   $0.25   1970-01-01 00:00",
      "tb       finished               evaluate   oracle agent    4/4   50.0 %   $0.25   1970-01-01 00:00",
    ]
  `);
});
