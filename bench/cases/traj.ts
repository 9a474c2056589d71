import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchCase } from '../measure.js';
import { atMost, type Measure, perSecond } from '../measure.js';
import { peakResidentBytesOf } from '../process-stats.js';

const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const DEFAULT_GB = 1;
const TURNS = 12;
const TURN_CHARS = 2_000;
const POLL_MS = 50;
const MIB = 1024 * 1024;
const GB = 1e9;

/** Commands over one large file of ShareGPT rows: how fast, and how much memory their process takes at most. */
export const traj: BenchCase = async (say) => {
  const bytes = Number(process.env.LONGRUN_BENCH_GB ?? DEFAULT_GB) * GB;
  const folder = await mkdtemp(join(tmpdir(), 'longrun-bench-traj-'));
  try {
    const input = join(folder, 'rows.jsonl');
    const rows = await writeRows(input, bytes);
    say(`${rows} rows, ${(bytes / GB).toFixed(1)} GB of ShareGPT`);
    const measures: Measure[] = [];
    for (const [name, ...args] of COMMANDS) {
      const output = join(folder, 'out.jsonl');
      const { ms, peakBytes } = await runCli(['traj', ...args, input, '--output', output]);
      const note = `${rows} rows, ${(bytes / GB).toFixed(1)} GB of ShareGPT in, ${((await stat(output)).size / GB).toFixed(1)} GB out`;
      say(`${name}: ${(ms / 1000).toFixed(1)} s`);
      measures.push(
        { name: `${name}, rows`, value: perSecond(rows, ms), unit: '/s', target: null, note },
        { name: `${name}, peak memory`, value: peakBytes / MIB, unit: 'MB', target: atMost(300), note },
      );
      await rm(output);
    }
    return measures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const COMMANDS = [
  ['traj import', 'import'],
  ['traj export messages', 'export', '--format', 'messages'],
] as const;

/** Rows of a dozen turns with a call each; some with a null reward, some cut short. Answers how many. */
async function writeRows(path: string, bytes: number): Promise<number> {
  const file = createWriteStream(path);
  let written = 0;
  let rows = 0;
  for (; written < bytes; rows++) {
    const line = `${JSON.stringify(row(rows))}\n`;
    written += Buffer.byteLength(line);
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return rows;
}

function row(index: number): unknown {
  const text = `${index} lines of output, é🙂 and "quotes"\n`.repeat(TURN_CHARS / 40);
  const conversations = [{ from: 'human', value: `Task ${index}: ${text}` }];
  for (let turn = 0; turn < TURNS; turn++) {
    const call = { name: 'terminal', arguments: { command: `cat file-${turn}` } };
    const result = { tool_call_id: `call_${index}_${turn}`, name: 'terminal', content: text };
    conversations.push(
      {
        from: 'gpt',
        value: `<think>\n${text}\n</think>\n<tool_call>\n${JSON.stringify(call)}\n</tool_call>`,
      },
      { from: 'tool', value: `<tool_response>\n${JSON.stringify(result)}\n</tool_response>` },
    );
  }
  conversations.push({ from: 'gpt', value: '<think>\n</think>\nDone.' });
  const reward = index % 7 === 0 ? null : (index % 5) / 4;
  const timestamp = '2026-03-30T14:22:31.456789';
  return { conversations, timestamp, model: 'bench', completed: index % 11 !== 0, reward };
}

async function runCli(args: readonly string[]): Promise<{ ms: number; peakBytes: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  let peakBytes = 0;
  const poll = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakResidentBytesOf(child.pid as number) ?? 0);
  }, POLL_MS);
  const [code] = await once(child, 'exit');
  clearInterval(poll);
  if (code !== 0) throw new Error(`longrun ${args.join(' ')} ended with ${code}`);
  return { ms: performance.now() - begun, peakBytes };
}
