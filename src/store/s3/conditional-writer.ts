import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { RecentlyUsed } from '../../core/held/recently-used.js';
import { HOUR_MS } from '../../core/time.js';
import { failureName, isUnanswered, statusOf } from './s3-error.js';

/** Object metadata that tells the writer of a value from all others. */
const WRITER = 'longrun-writer';
const CONFLICT_TRIES = 8;
const CONFLICT_PAUSE_MS = 20;
/** From here on a look at the key costs less than sending a value that loses. */
const LARGE_BYTES = 1024 * 1024;
/** Whoever tries again does so much sooner. */
const DOUBT_MS = HOUR_MS;

/**
 * Puts that one writer per key wins (`If-None-Match: *`). A request whose answer was lost may have been
 * carried out, and the client's next try then loses to it: each value carries a mark of its writer,
 * so that whoever is refused can look whether it lost to itself.
 */
export class ConditionalWriter {
  /**
   * Writers whose last word is still out, by key: the next try of the same value counts as theirs. A rollout that was
   * given up meanwhile never tries again.
   */
  private readonly inDoubt = new RecentlyUsed<string>(DOUBT_MS);

  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  /** True when the value under the key is the one of this call. Throws the errors of the client. */
  async put(key: string, value: Uint8Array): Promise<boolean> {
    if (
      value.length >= LARGE_BYTES &&
      this.inDoubt.get(key) === undefined &&
      (await this.writerOf(key)) !== null
    )
      return false;
    const writer = this.inDoubt.get(key) ?? randomUUID();
    this.inDoubt.delete(key);
    const mark = `${writer}-${createHash('sha256').update(value).digest('hex')}`;
    try {
      if (await this.send(key, value, mark)) return true;
      return (await this.writerOf(key)) === mark;
    } catch (cause) {
      if (!isUnanswered(cause)) throw cause;
      const found = await this.writerOf(key).catch(() => null);
      if (found !== null) return found === mark;
      this.inDoubt.set(key, writer);
      throw cause;
    }
  }

  /** False when the key was taken. */
  private async send(key: string, value: Uint8Array, mark: string): Promise<boolean> {
    const command = new PutObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Body: value,
      IfNoneMatch: '*',
      Metadata: { [WRITER]: mark },
    });
    for (let tries = 1; ; tries++) {
      try {
        await this.client.send(command);
        return true;
      } catch (cause) {
        if (statusOf(cause) === 412) return false;
        // Two writers at the same moment: S3 decides for neither and asks both to come again.
        if (failureName(cause) !== 'ConditionalRequestConflict' || tries >= CONFLICT_TRIES) throw cause;
        await sleep(CONFLICT_PAUSE_MS * tries * (0.5 + Math.random()));
      }
    }
  }

  /** The mark of the value under a key; empty for one of a plain put, null where there is none. */
  private async writerOf(key: string): Promise<string | null> {
    try {
      const { Metadata } = await this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: key }));
      return Metadata?.[WRITER] ?? '';
    } catch (cause) {
      if (statusOf(cause) === 404) return null;
      throw cause;
    }
  }
}
