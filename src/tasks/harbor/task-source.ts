import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobLoaders } from './folder-blob.js';
import type { TaskProblem } from './problem.js';
import type { FolderEntry } from './task-folder.js';
import type { TaskToml } from './task-toml.schema.js';
import type { KeyPath } from './toml-lines.js';

/** A task folder while it is being turned into a task; problems and notes gather here. */
export class TaskSource {
  readonly problems: TaskProblem[] = [];
  /** Worth knowing, not wrong. */
  readonly notes: TaskProblem[] = [];
  readonly blobs: BlobLoaders = new Map();

  constructor(
    readonly dir: string,
    readonly config: TaskToml,
    readonly entries: readonly FolderEntry[],
    private readonly lines: (path: KeyPath) => number | null,
  ) {}

  /** A problem at a key of task.toml. */
  refuse(path: KeyPath, problem: Omit<TaskProblem, 'file' | 'line'>): void {
    this.problems.push({ file: join(this.dir, 'task.toml'), line: this.lines(path), ...problem });
  }

  /** A problem with a file of the folder. */
  refuseFile(
    path: string,
    message: string,
    accepted: string | null = null,
    found: string | null = null,
  ): void {
    this.problems.push({ file: join(this.dir, path), line: null, found, accepted, message });
  }

  note(path: string, message: string): void {
    this.notes.push({ file: join(this.dir, path), line: null, found: null, accepted: null, message });
  }

  /** Something worth knowing at a key of task.toml. */
  noteAt(path: KeyPath, note: Omit<TaskProblem, 'file' | 'line'>): void {
    this.notes.push({ file: join(this.dir, 'task.toml'), line: this.lines(path), ...note });
  }

  find(path: string): FolderEntry | undefined {
    return this.entries.find((entry) => entry.path === path);
  }

  /** The text of a file of the folder, or null. */
  async read(path: string): Promise<string | null> {
    const entry = this.find(path);
    return entry === undefined || entry.kind === 'directory' ? null : readFile(entry.at, 'utf8');
  }
}
