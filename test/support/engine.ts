import Docker from 'dockerode';

export const BASE_IMAGE = 'debian:bookworm-slim';

/** What keeps tests with real containers from running here, in one sentence; null when nothing does. */
export async function missingEngine(): Promise<string | null> {
  const docker = new Docker();
  try {
    await docker.ping();
  } catch (error) {
    return `No container engine answers (${(error as Error).message}); run \`npm run setup\`, or set LONGRUN_SKIP_TIERS=sandbox`;
  }
  try {
    await docker.getImage(BASE_IMAGE).inspect();
    return null;
  } catch {
    return `The engine has no image ${BASE_IMAGE}; run \`npm run setup\`, or set LONGRUN_SKIP_TIERS=sandbox`;
  }
}
