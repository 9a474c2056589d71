import { decode, trimEnd, trimStart } from './tools/output-text.js';

/** UTF-8 bytes of one tool result that the model sees. */
export const RESULT_LIMIT_BYTES = 16_384;
const MIN_RESULT_BYTES = 1_024;
/** The tail gets more: errors and summaries stand at the end. */
const HEAD_SHARE = 0.4;
const MAX_ID_CHARS = 100;

export interface BoundResult {
  shown: string;
  /** The whole result, to be put into the sandbox; null when all of it is shown. */
  overflow: Uint8Array | null;
}

/** Where in the sandbox the whole of a result lies that was too long to show. */
export function resultPath(toolCallId: string): string {
  return `/tmp/longrun-results/${toolCallId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_ID_CHARS)}.txt`;
}

/** Bytes of a result for a context window: at most a quarter of it, at three bytes a token. */
export function resultLimitBytes(contextWindow: number | null): number {
  if (contextWindow === null) return RESULT_LIMIT_BYTES;
  return Math.max(MIN_RESULT_BYTES, Math.min(RESULT_LIMIT_BYTES, Math.floor((contextWindow / 4) * 3)));
}

/** Cuts the middle out of a result over `limit` bytes, at line ends where there are any; `path` is named in the gap. */
export function boundResult(content: string, limit: number, path: string | null = null): BoundResult {
  const bytes = Buffer.from(content);
  if (bytes.length <= limit) return { shown: content, overflow: null };
  const headBytes = Math.floor(limit * HEAD_SHARE);
  const head = trimEnd(wholeLines(bytes.subarray(0, headBytes), 'head'));
  const tail = trimStart(wholeLines(bytes.subarray(bytes.length - (limit - headBytes)), 'tail'));
  const left = bytes.length - head.length - tail.length;
  const where = path === null ? '' : `; the whole of it is in ${path}`;
  const shown = `${decode(head).replace(/\n$/, '')}\n[… ${left} of ${bytes.length} bytes left out${where} …]\n${decode(tail)}`;
  return { shown, overflow: bytes };
}

/** Up to the last line end, or from the first one; lines longer than half the piece are cut. */
function wholeLines(piece: Buffer, side: 'head' | 'tail'): Buffer {
  const end = side === 'head' ? piece.lastIndexOf(10) + 1 : piece.indexOf(10) + 1;
  const kept = side === 'head' ? piece.subarray(0, end) : piece.subarray(end);
  return kept.length * 2 >= piece.length ? kept : piece;
}
