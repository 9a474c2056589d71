import { afterAll, beforeAll, describe } from 'vitest';
import { openStore } from '../../../src/store/index.js';
import { borrowEnv, S3Server } from '../../support/s3-server.js';
import { storeConformance } from '../conformance.js';
import { tempStateDir } from '../temp-store.js';

describe('a store in a bucket', () => {
  let server: S3Server;
  let giveBack: () => void;
  let stores = 0;

  beforeAll(async () => {
    server = await S3Server.start();
    giveBack = borrowEnv(server.env);
  });
  afterAll(async () => {
    giveBack();
    await server.stop();
  });

  storeConformance(async () =>
    openStore(await tempStateDir(), { LONGRUN_STORE: server.url(`store-${stores++}`) }),
  );
});
