import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/**
 * A receiver of trajectories as docs/filtering.md describes it: rows are stored once by their idempotency key.
 * Started with a port, a file and faults, which it meets requests with in turn. After them it is well.
 * Plain JavaScript, so that it starts at once.
 */
const [port, file, faultText = '[]'] = process.argv.slice(2);
const faults = JSON.parse(faultText);
const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
const stored = new Set(kept.map((line) => JSON.parse(line).key));

/** What is done about the rows before anything is answered. */
const effects = {
  'stored, then cut': keep,
  'stored, then half an answer': keep,
  'stored, then killed': (lines) => {
    keep(lines);
    process.kill(process.pid, 'SIGKILL');
  },
};

/** What is answered: `{ status, value, headers }`, or null where the connection is cut. */
const answers = {
  cut: () => null,
  'stored, then cut': () => null,
  'stored, then half an answer': () => ({ status: 200, value: {}, headers: { 'content-length': '500' } }),
  'half of it': (lines) => accept(lines.slice(0, Math.ceil(lines.length / 2)), []),
  'rejects poor rows': (lines) =>
    accept(
      lines.filter((line) => !isPoor(line)),
      lines.filter(isPoor),
    ),
  well: (lines) => {
    if (lines.some(isPoor)) return { status: 422, value: { message: 'a row is poor' } };
    keep(lines);
    return { status: 200, value: {} };
  },
};

const isPoor = ({ row }) => row.session_id.includes('poor');
const keyOf = ({ idempotency_key }) => idempotency_key;

function accept(taken, refused) {
  keep(taken);
  const rejected = refused.map((line) => ({ key: keyOf(line), reason: 'poor' }));
  return { status: 200, value: { accepted: taken.map(keyOf), rejected } };
}

/** `429 0.02`: a status, and what it says of coming again. It quotes the key, as bad receivers do. */
function refuse(fault, authorization) {
  const [status, retryAfter] = fault.split(' ');
  const headers = {
    ...(retryAfter && { 'retry-after': retryAfter }),
    location: 'http://127.0.0.1:1/elsewhere',
  };
  return { status: Number(status), value: { message: `slowly, ${authorization}` }, headers };
}

/** A repeat is noted, and not stored again. */
function keep(lines) {
  for (const line of lines) {
    const key = keyOf(line);
    const state = stored.has(key) ? 'repeat' : 'stored';
    stored.add(key);
    appendFileSync(file, `${JSON.stringify({ key, state, session: line.row.session_id })}\n`);
  }
}

function readLines(body, encoding) {
  const plain = encoding === 'gzip' ? gunzipSync(body) : body;
  return plain
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const server = createServer(async (request, response) => {
  const fault = faults.shift() ?? 'well';
  const lines = readLines(await buffer(request), request.headers['content-encoding']);
  console.log(
    JSON.stringify({ fault, rows: lines.map(({ row }) => row.session_id), headers: request.headers }),
  );
  effects[fault]?.(lines);
  const answer = answers[fault] ? answers[fault](lines) : refuse(fault, request.headers.authorization);
  if (answer === null) return response.destroy();
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  if (answer.headers?.['content-length'] === undefined) return response.end(JSON.stringify(answer.value));
  response.write('{"accep');
  return setTimeout(() => response.destroy(), 10);
});

server.listen(Number(port), '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
