import { describe, expect, it } from 'vitest';
import { listingToWire, renderListing } from '../../src/cli/sandboxes/render.js';
import { pruneToWire, renderPrune } from '../../src/cli/sandboxes/render-prune.js';
import type { PruneReport } from '../../src/hosts/prune-sandboxes.js';
import type { Listing } from '../../src/hosts/sandbox-inventory.js';
import { plainStyle } from '../../src/report/style.js';
import { temporaryStateDir } from '../support/state.js';
import { longrun } from './support/longrun.js';

const LOOK = { style: plainStyle, columns: 200 };
const NOW = 1_000_000;

const LISTING: Listing = {
  clusterAnswers: false,
  sandboxes: [
    {
      ref: { driver: 'docker', id: '0123456789abcdef' },
      owner: {
        clusterId: 'ours',
        namespace: 'default',
        hostId: 'here',
        runId: 'r-1',
        taskId: 'one\u001b[31m',
        sample: 2,
        attempt: 1,
        role: 'agent',
      },
      createdAtMs: NOW - 95_000,
      running: true,
      ownerState: 'unreachable',
    },
  ],
  images: [
    {
      driver: 'docker',
      name: 'longrun/task:abc',
      kind: 'task',
      bytes: 200_000_000,
      createdAtMs: 1,
      lastUsedAtMs: 2,
      inUse: false,
      runId: null,
    },
  ],
};

describe('longrun sandboxes list', () => {
  it('shows sandbox, rollout, age and what became of it, with nothing that a terminal would act on', () => {
    const text = renderListing(LISTING, LOOK, NOW).join('\n');
    expect(text).toContain('0123456789ab');
    expect(text).toMatch(/1 min 35 s\s+running\s+not known now/);
    expect(text).not.toContain('\u001b');
    expect(text).toContain('Images made here: 1 of tasks (1 not in use), 0 snapshots.');
    expect(text).toContain('Temporal does not run for this state folder');
  });

  it('gives the same as JSON in snake case', () => {
    expect(listingToWire(LISTING)).toMatchObject({
      cluster_answers: false,
      sandboxes: [{ driver: 'docker', run_id: 'r-1', sample: 2, owner_state: 'unreachable' }],
      images: [{ name: 'longrun/task:abc', kind: 'task', last_used_at: 2, in_use: false }],
    });
  });

  it('says when no engine answers, and what to do about it', async () => {
    const DOCKER_HOST = 'unix:///nonexistent/docker.sock';
    const answer = await longrunAgainst(DOCKER_HOST, ['sandboxes', 'list']);
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain('No Docker engine answers');
  });
});

describe('longrun sandboxes prune', () => {
  const REPORT: PruneReport = {
    clusterAnswers: false,
    removed: [
      { kind: 'sandbox', id: '0123456789abcdef', reason: 'workflow_closed', of: 'r-1/one/0' },
      { kind: 'network', id: 'longrun-sandboxes', reason: 'unused', of: null },
    ],
    kept: [
      { kind: 'sandbox', id: 'fedcba9876543210', reason: 'unknown', of: 'r-2/one/0' },
      { kind: 'image', id: 'longrun/task:abc', reason: 'in_use', of: null },
    ],
  };

  it('says of each what was done and why, and how to find out what is not known', () => {
    expect(renderPrune(REPORT, false)).toEqual([
      'Removed sandbox 0123456789ab (r-1/one/0): its rollout is over.',
      'Removed network longrun-sandboxes: not in use.',
      'Kept sandbox fedcba987654 (r-2/one/0): whether its rollout goes on is not known.',
      'Kept image longrun/task:abc: in use.',
      'Temporal does not run for this state folder. Start it (longrun up) to find out, or use --force.',
      'Removed 2, kept 2.',
    ]);
    expect(renderPrune(REPORT, true).at(-1)).toBe('Would remove 2, kept 2.');
    expect(pruneToWire(REPORT, true)).toMatchObject({ dry_run: true, removed: REPORT.removed });
  });

  it.each(['24', 'a day', '-1h', '1.5h'])('refuses --older-than %s by name', async (text) => {
    const answer = await longrun(['sandboxes', 'prune', `--older-than=${text}`]);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain(`--older-than: found "${text}"`);
  });
});

/** The engine's client reads its address from the process. */
async function longrunAgainst(engine: string, argv: string[]) {
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = engine;
  try {
    return await longrun(argv, { LONGRUN_HOME: await temporaryStateDir() });
  } finally {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
  }
}
