import { setTimeout as delay } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { LongrunError } from '../../../core/errors.js';
import { asking, engineStatus, engineWords, toLongrunError } from '../engine-error.js';
import { LABEL } from '../labels.js';
import { type AddressRange, addressRange } from './address-ranges.js';

export const NETWORK_NAME = 'longrun-sandboxes';
const LOOKS = 20;
const LOOK_AGAIN_MS = 100;
const OURS = { [LABEL.network]: 'public' };
const OPTIONS = { 'com.docker.network.bridge.enable_icc': 'false' };

export interface EngineNetwork {
  id: string;
  subnets: AddressRange[];
}

/** The one network of an engine that all sandboxes with a network are on, whatever installation they belong to. */
export class SandboxNetwork {
  private known: Promise<EngineNetwork> | null = null;

  constructor(private readonly docker: Dockerode) {}

  /** Finds it, or makes it. Error: `sandbox_failed`. */
  current(): Promise<EngineNetwork> {
    if (this.known !== null) return this.known;
    const known = this.findOrMake();
    this.known = known;
    known.catch(() => this.forget());
    return known;
  }

  /** Somebody removed it. */
  forget(): void {
    this.known = null;
  }

  /** Removes it where no sandbox is on it, and answers the names of what went. It is made anew when it is needed. */
  async removeUnused(dryRun: boolean): Promise<string[]> {
    const removed: string[] = [];
    for (const { Id, Name } of await this.list()) if (await this.isRemoved(Id, dryRun)) removed.push(Name);
    return removed;
  }

  private async findOrMake(): Promise<EngineNetwork> {
    const found = await this.find();
    if (found !== null) return found;
    const { made, failure } = await this.make();
    let first = await this.find();
    // One that another process is making is listed a moment later.
    for (let looks = 0; first === null && looks < LOOKS; looks += 1) {
      await delay(LOOK_AGAIN_MS);
      first = await this.find();
    }
    if (first === null) throw failure ?? notOurs();
    // Two processes may make it at once, on some engines both of them.
    if (made !== null && made !== first.id) await this.isRemoved(made, false);
    return first;
  }

  /** The oldest counts for all. */
  private async find(): Promise<EngineNetwork | null> {
    const [first] = await this.list();
    if (first === undefined) return null;
    const configs: { Subnet?: string }[] = first.IPAM?.Config ?? [];
    const subnets = configs.map(({ Subnet = '' }) => addressRange(Subnet)).filter((range) => range !== null);
    return { id: first.Id, subnets };
  }

  private async list(): Promise<Dockerode.NetworkInspectInfo[]> {
    const label = Object.entries(OURS).map(([name, value]) => `${name}=${value}`);
    const found = await asking('listing networks', () => this.docker.listNetworks({ filters: { label } }));
    return found.sort((a, b) => compare(a.Created, b.Created) || compare(a.Id, b.Id));
  }

  /** A failure is worth nothing where somebody else has made it meanwhile. */
  private async make(): Promise<{ made: string | null; failure: LongrunError | null }> {
    try {
      const { id } = await this.docker.createNetwork({
        Name: NETWORK_NAME,
        CheckDuplicate: true,
        Driver: 'bridge',
        EnableIPv6: false,
        Options: OPTIONS,
        Labels: OURS,
      });
      return { made: id, failure: null };
    } catch (error) {
      return { made: null, failure: engineStatus(error) === 409 ? null : notMade(error) };
    }
  }

  private async isRemoved(id: string, dryRun: boolean): Promise<boolean> {
    const network = this.docker.getNetwork(id);
    try {
      const { Containers } = await network.inspect();
      if (Object.keys(Containers ?? {}).length > 0) return false;
      if (!dryRun) await network.remove();
      return true;
    } catch (error) {
      // Removed by another, or joined at this very moment.
      if ([403, 404, 409].includes(engineStatus(error) ?? 0)) return false;
      throw toLongrunError(error, 'removing a network');
    }
  }
}

function notOurs(): LongrunError {
  return new LongrunError('sandbox_failed', `The engine's network ${NETWORK_NAME} was not made by longrun.`, {
    hint: `Sandboxes would not be kept apart on it: docker network rm ${NETWORK_NAME}, or use --network none.`,
    details: { network: NETWORK_NAME },
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function notMade(error: unknown): LongrunError {
  if (!/address pool|predefined address|fully subnetted/i.test(engineWords(error)))
    return toLongrunError(error, 'making the network of sandboxes');
  return new LongrunError(
    'sandbox_failed',
    `The Docker engine has no addresses left for a network: ${engineWords(error)}`,
    {
      hint: 'Remove networks that nothing uses (docker network prune), or give the engine more (default-address-pools).',
      details: { network: NETWORK_NAME },
      cause: error,
    },
  );
}
