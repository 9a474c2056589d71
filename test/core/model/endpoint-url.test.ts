import { expect, test } from 'vitest';
import { endpointUrlSchema } from '../../../src/core/model/endpoint-url.schema.js';

test.each(['http://localhost:8000/v1', 'https://models.example.com/v1'])(
  '%s may be named as an endpoint',
  (url) => {
    expect(endpointUrlSchema.safeParse(url).success).toBe(true);
  },
);

test.each(['http://me:secret@models.example.com/v1', 'file:///etc/passwd', 'ftp://host/v1', 'host/v1'])(
  '%s may not: it would be recorded, or answers nobody',
  (url) => {
    expect(endpointUrlSchema.safeParse(url).success).toBe(false);
  },
);
