import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { badInput } from '../../core/errors.js';
import type { ArtifactStore } from '../store.js';
import { ConditionalWriter } from './conditional-writer.js';
import { childName, decodeName, ObjectNames } from './object-names.js';
import { createS3Client } from './s3-client.js';
import { failureName, toS3Error, toS3OpenError } from './s3-error.js';
import type { S3Location } from './s3-location.js';

const READ_TRIES = 3;

/**
 * An ArtifactStore in a bucket: one object per key. It relies on what AWS and most others promise: reads
 * and lists see every write that was answered, and a conditional write has one winner.
 * An answered write is as durable as the service makes it, so `durability` makes no difference here.
 */
export class S3Store implements ArtifactStore {
  private readonly names: ObjectNames;
  private readonly writer: ConditionalWriter;

  private constructor(
    private readonly client: S3Client,
    private readonly location: S3Location,
  ) {
    this.names = new ObjectNames(location.prefix);
    this.writer = new ConditionalWriter(client, location.bucket);
  }

  /** Errors: `bad_input` for what somebody has to correct first, else those of a store. */
  static async open(location: S3Location): Promise<S3Store> {
    const store = new S3Store(createS3Client(location), location);
    try {
      await store.checkConditionalWrites();
    } catch (cause) {
      store.client.destroy();
      throw toS3OpenError(cause, location);
    }
    return store;
  }

  async get(key: string): Promise<Uint8Array | null> {
    const command = new GetObjectCommand(this.object(key));
    for (let tries = 1; ; tries++) {
      let answered = false;
      try {
        const { Body } = await this.client.send(command);
        answered = true;
        return Body === undefined ? new Uint8Array() : await Body.transformToByteArray();
      } catch (cause) {
        if (failureName(cause) === 'NoSuchKey') return null;
        // The client tries a request again, but not a value that breaks off on its way.
        if (!answered || tries >= READ_TRIES) throw toS3Error(cause, key, this.location);
      }
    }
  }

  /** Asks for the first byte: the answer to a HEAD cannot tell a key that is missing from a bucket that is. */
  async has(key: string): Promise<boolean> {
    const command = new GetObjectCommand({ ...this.object(key), Range: 'bytes=0-0' });
    try {
      const { Body } = await this.client.send(command);
      await Body?.transformToByteArray().catch(() => undefined);
      return true;
    } catch (cause) {
      const name = failureName(cause);
      if (name === 'NoSuchKey') return false;
      // An empty value has no first byte.
      if (name === 'InvalidRange') return true;
      throw toS3Error(cause, key, this.location);
    }
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    const command = new PutObjectCommand({ ...this.object(key), Body: value });
    await this.client.send(command).catch((cause: unknown) => {
      throw toS3Error(cause, key, this.location);
    });
  }

  async putIfAbsent(key: string, value: Uint8Array): Promise<boolean> {
    try {
      return await this.writer.put(this.names.of(key), value);
    } catch (cause) {
      throw toS3Error(cause, key, this.location);
    }
  }

  async children(prefix: string): Promise<string[]> {
    const found = new Set<string>();
    const name = `${this.names.of(prefix)}/`;
    try {
      for await (const { Contents, CommonPrefixes, EncodingType } of this.pages(name, '/')) {
        for (const { Key } of Contents ?? []) found.add(childName(Key ?? '', EncodingType));
        for (const { Prefix } of CommonPrefixes ?? []) found.add(childName(Prefix ?? '', EncodingType));
      }
    } catch (cause) {
      throw toS3Error(cause, prefix, this.location);
    }
    return [...found].sort();
  }

  async remove(keyOrPrefix: string): Promise<void> {
    try {
      if (keyOrPrefix.endsWith('/')) await this.removeAll(`${this.names.of(keyOrPrefix.slice(0, -1))}/`);
      else await this.client.send(new DeleteObjectCommand(this.object(keyOrPrefix)));
    } catch (cause) {
      throw toS3Error(cause, keyOrPrefix, this.location);
    }
  }

  locate(key: string): string {
    return `s3://${this.location.bucket}/${this.names.of(key)}`;
  }

  private async removeAll(prefix: string): Promise<void> {
    for await (const { Contents = [], EncodingType } of this.pages(prefix)) {
      if (Contents.length === 0) continue;
      const Objects = Contents.map(({ Key }) => ({ Key: decodeName(Key ?? '', EncodingType) }));
      const command = new DeleteObjectsCommand({
        Bucket: this.location.bucket,
        Delete: { Objects, Quiet: true },
      });
      const [error] = (await this.client.send(command)).Errors ?? [];
      if (error) throw Object.assign(new Error(error.Message), { name: error.Code });
    }
  }

  private async *pages(prefix: string, delimiter?: string): AsyncGenerator<ListObjectsV2CommandOutput> {
    let token: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await this.client.send(
        new ListObjectsV2Command({
          Bucket: this.location.bucket,
          Prefix: prefix,
          Delimiter: delimiter,
          ContinuationToken: token,
          // Names may hold what XML cannot.
          EncodingType: 'url',
        }),
      );
      yield page;
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  /** A server that takes no notice of the condition would let two executors work on one attempt. */
  private async checkConditionalWrites(): Promise<void> {
    const name = this.names.hidden('longrun-store');
    const value = Buffer.from('Written once, to see that conditional writes have one winner.\n');
    if (!(await this.writer.put(name, value)) || !(await this.writer.put(name, value))) return;
    throw badInput(
      `The server of ${this.locate('runs')} ignores the condition of a write (If-None-Match).`,
      'longrun cannot keep its records there: use a server, or a version of it, that supports conditional writes.',
    );
  }

  private object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.location.bucket, Key: this.names.of(key) };
  }
}
