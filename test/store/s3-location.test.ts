import { expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import { parseS3Location } from '../../src/store/s3/s3-location.js';

it('an address names bucket, prefix, server and region', () => {
  expect(
    parseS3Location(
      's3://my-bucket/team/longrun?endpoint=https://s3.example:9000&region=eu&forcePathStyle=false',
    ),
  ).toEqual({
    bucket: 'my-bucket',
    prefix: 'team/longrun',
    endpoint: 'https://s3.example:9000',
    region: 'eu',
    forcePathStyle: false,
  });
});

it('all after the bucket may be left out; a server of its own is asked in path style', () => {
  const aws = { bucket: 'b-1', prefix: '', endpoint: null, region: null, forcePathStyle: false };
  for (const text of ['s3://b-1', 's3://b-1/', 's3://b-1?', 's3://b-1/?region=']) {
    expect(parseS3Location(text), text).toEqual(aws);
  }
  expect(parseS3Location('s3://b-1?endpoint=http://127.0.0.1:9000')).toMatchObject({ forcePathStyle: true });
});

it.each([
  ['https://bucket/prefix', 's3://'],
  ['/var/lib/store', 's3://'],
  ['s3://', 'bucket'],
  ['s3://UPPER/x', 'UPPER'],
  ['s3://b-1/../x', '../x'],
  ['s3://b-1/.hidden', '.hidden'],
  ['s3://b-1/a//b', 'a//b'],
  ['s3://b-1?endpont=http://x', 'endpont'],
  ['s3://b-1?endpoint=localhost:9000', 'http://'],
  ['s3://b-1?forcePathStyle=yes', 'yes'],
])('%s is refused by name', (text, named) => {
  expect(() => parseS3Location(text)).toThrow(
    expect.objectContaining({ code: 'bad_input', exitCode: 2, message: expect.stringContaining(named) }),
  );
});

it.each(['s3://AKIA123:very-secret@bucket/x', 's3://b-1?endpoint=https://user:very-secret@host'])(
  'credentials do not belong into an address, and are not repeated',
  (text) => {
    const error = (() => {
      try {
        return parseS3Location(text);
      } catch (cause) {
        return cause;
      }
    })();
    if (!LongrunError.is(error)) throw new Error('it was taken');
    expect(error.hint).toContain('AWS_');
    expect(`${error.message} ${error.hint}`).not.toContain('very-secret');
  },
);
