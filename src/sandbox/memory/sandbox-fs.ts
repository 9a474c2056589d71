import { setImmediate as nextTurn } from 'node:timers/promises';
import type { InMemoryFs } from 'just-bash';
import type { TarEntry } from '../tar-entries.js';
import type { JustBash } from './just-bash.js';

/** Where the output of a running command goes. */
export type OutputSink = (chunk: Uint8Array) => void;

export interface SandboxFs extends InMemoryFs {
  /** Appends to `path` reach the sink instead of a file. */
  attachSink(path: string, sink: OutputSink): void;
  detachSink(path: string): void;
  /** Builds something that writes its own files at once (an interpreter: one stub per command) without them. */
  quietly<T>(build: () => T): T;
}

type FileContent = Parameters<InMemoryFs['appendFile']>[1];
type WriteOptions = Parameters<InMemoryFs['appendFile']>[2];

const YIELD_AFTER_MS = 10;

/** An empty file system that holds at most `maxBytes`. */
export function createSandboxFs(justBash: JustBash, maxBytes: number): SandboxFs {
  class OutputAwareFs extends justBash.InMemoryFs implements SandboxFs {
    private readonly sinks = new Map<string, OutputSink>();
    private yieldedAtMs = performance.now();
    private quiet = false;

    attachSink(path: string, sink: OutputSink): void {
      this.sinks.set(path, sink);
    }

    detachSink(path: string): void {
      this.sinks.delete(path);
    }

    override async appendFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
      const sink = this.sinks.get(path);
      if (sink === undefined) return super.appendFile(path, content, options);
      if (content.length > 0) sink(toBytes(content, options));
      // The interpreter itself never waits: without this a busy loop in a script would stop the process.
      if (performance.now() - this.yieldedAtMs < YIELD_AFTER_MS) return;
      await nextTurn();
      this.yieldedAtMs = performance.now();
    }

    quietly<T>(build: () => T): T {
      this.quiet = true;
      try {
        return build();
      } finally {
        this.quiet = false;
      }
    }

    override writeFileSync(...args: Parameters<InMemoryFs['writeFileSync']>): void {
      if (!this.quiet) super.writeFileSync(...args);
    }
  }
  return new OutputAwareFs({}, { maxTotalBytes: maxBytes });
}

/** Puts entries with absolute paths into a file system; parents are made. */
export async function writeEntries(fs: InMemoryFs, entries: Iterable<TarEntry>): Promise<void> {
  for (const entry of entries) {
    if (entry.type === 'directory') {
      const isFolder = await fs.stat(entry.path).then(
        (stat) => stat.isDirectory,
        () => false,
      );
      if (!isFolder) await fs.mkdir(entry.path, { recursive: true });
      await fs.chmod(entry.path, entry.mode);
      continue;
    }
    await replaceable(fs, entry.path);
    if (entry.type === 'symlink') await fs.symlink(entry.target, entry.path);
    else if (entry.type === 'link') await fs.link(entry.target, entry.path);
    else {
      fs.writeFileSync(entry.path, entry.content);
      await fs.chmod(entry.path, entry.mode);
      await fs.utimes(entry.path, entry.mtime, entry.mtime);
    }
  }
}

/** Everything below `root`, itself included, with absolute paths and parents before children. */
export async function readEntries(fs: InMemoryFs, root: string): Promise<TarEntry[]> {
  const prefix = root === '/' ? '/' : `${root}/`;
  const paths = fs.getAllPaths().filter((path) => path === root || path.startsWith(prefix));
  return Promise.all(paths.sort().map((path) => readEntry(fs, path)));
}

async function readEntry(fs: InMemoryFs, path: string): Promise<TarEntry> {
  const stat = await fs.lstat(path);
  const common = { path, mode: stat.mode & 0o7777, mtime: stat.mtime, content: new Uint8Array(), target: '' };
  if (stat.isSymbolicLink) return { ...common, type: 'symlink', target: await fs.readlink(path) };
  if (stat.isDirectory) return { ...common, type: 'directory' };
  return { ...common, type: 'file', content: await fs.readFileBuffer(path) };
}

async function replaceable(fs: InMemoryFs, path: string): Promise<void> {
  const parent = path.slice(0, path.lastIndexOf('/')) || '/';
  if (!(await fs.exists(parent))) await fs.mkdir(parent, { recursive: true });
  const inTheWay = await fs.lstat(path).then(
    (stat) => stat.isSymbolicLink,
    () => false,
  );
  if (inTheWay) await fs.rm(path);
}

function toBytes(content: FileContent, options: WriteOptions): Uint8Array {
  if (typeof content !== 'string') return content;
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return Buffer.from(content, encoding === 'binary' ? 'latin1' : 'utf8');
}
