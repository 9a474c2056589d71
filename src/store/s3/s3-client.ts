import { S3Client } from '@aws-sdk/client-s3';
import { SECOND_MS } from '../../core/time.js';
import type { S3Location } from './s3-location.js';

const CONNECT_TIMEOUT_MS = 5 * SECOND_MS;
/** Without a byte in either direction; how long a large value takes is its own business. */
const IDLE_TIMEOUT_MS = 20 * SECOND_MS;
/** Every rollout of a host writes through the same client. */
const MAX_SOCKETS = 256;
/** S3-compatible servers seldom care, but a signature names one. */
const ANY_REGION = 'us-east-1';

/** A client with the credentials that the standard AWS variables, profile or machine role give. */
export function createS3Client({ endpoint, region, forcePathStyle }: S3Location): S3Client {
  // It is about updates of the client, which come with ours: nothing for whoever runs a command.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const known = region ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? (endpoint === null ? undefined : ANY_REGION);
  return new S3Client({
    forcePathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(known === undefined ? {} : { region: known }),
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  });
}
