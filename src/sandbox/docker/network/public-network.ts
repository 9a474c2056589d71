import type Dockerode from 'dockerode';
import { BASE_IMAGE } from '../../../core/base-image.js';
import { LongrunError } from '../../../core/errors.js';
import { asking, engineStatus, engineWords, toLongrunError } from '../engine-error.js';
import type { Images } from '../images.js';
import { labelsToOwner, ownerToLabels } from '../labels.js';
import { addressRange, mergedRanges } from './address-ranges.js';
import { firewallBatch } from './firewall.js';
import { HelperContainer } from './helper-container.js';
import { APPLY_FIREWALL } from './helper-programs.js';
import { HostAddressBook } from './host-addresses.js';
import type { EngineNetwork, SandboxNetwork } from './sandbox-network.js';

/** Neither the internet nor a private network: this host, link-local, multicast and what is reserved. */
const SPECIAL = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'];
/** Where clouds answer machines about themselves, keys included, outside of link-local: Alibaba, Azure, Oracle. */
const METADATA = ['100.100.100.200', '168.63.129.16', '192.0.0.192'];
const ARGUMENT_CHARACTERS = 60_000;

type Networks = Record<string, { NetworkID: string }>;

interface Shield {
  helper: HelperContainer;
  network: EngineNetwork;
}

/**
 * Connects sandboxes to the internet and to nothing nearer. A container starts without a network; rules are put into
 * its namespace, which nobody in it may change; and only then it is connected.
 */
export class PublicNetwork {
  private readonly host: HostAddressBook;

  constructor(
    private readonly docker: Dockerode,
    private readonly network: SandboxNetwork,
    images: Images,
  ) {
    this.host = new HostAddressBook(docker, () => provideHelperImage(images));
  }

  /** Runs `start`, which gives the container a namespace without a network, and connects it. */
  async open(
    container: Dockerode.Container,
    labels: Record<string, string>,
    start: () => Promise<unknown>,
  ): Promise<void> {
    let shield = this.prepare(container.id, labels);
    // While the container starts nobody waits for it.
    shield.catch(() => undefined);
    try {
      await start();
    } catch (error) {
      await shield.then(({ helper }) => helper.remove()).catch(() => undefined);
      throw error;
    }
    for (let mayBeGone = true; ; mayBeGone = false) {
      const { helper, network } = await shield;
      try {
        await helper.run().catch((error) => Promise.reject(notShielded(error)));
        // The helper's removal takes as long as connecting does.
        return void (await Promise.all([this.connect(container, network), helper.remove()]));
      } catch (error) {
        await helper.remove();
        if (!mayBeGone || !isNetworkGone(error)) throw toLongrunError(error, 'connecting a container');
        this.network.forget();
        shield = this.prepare(container.id, labels);
      }
    }
  }

  /** The same for one that runs or ran: a restart makes a new namespace, which must not be connected at first. */
  async reopen(container: Dockerode.Container, restart: () => Promise<unknown>): Promise<void> {
    const { Config, NetworkSettings } = await asking('looking for a container', () => container.inspect());
    await asking('disconnecting a container', () => this.disconnect(container, NetworkSettings.Networks));
    await this.open(container, ownerToLabels(labelsToOwner(Config.Labels)), restart);
  }

  private async prepare(containerId: string, labels: Record<string, string>): Promise<Shield> {
    const [network, host] = await Promise.all([this.network.current(), this.host.current(labels)]);
    const special = [...SPECIAL, ...METADATA].map(addressRange).filter((range) => range !== null);
    const refused = mergedRanges([...special, ...network.subnets, ...host.addresses]);
    const batch = firewallBatch({ refused, nameservers: host.nameservers }).toString('hex');
    const helper = await HelperContainer.create(this.docker, {
      program: APPLY_FIREWALL,
      args: inPieces(batch, ARGUMENT_CHARACTERS),
      networkMode: `container:${containerId}`,
      capabilities: ['NET_ADMIN'],
      labels,
    });
    return { helper, network };
  }

  private async connect(container: Dockerode.Container, { id }: EngineNetwork): Promise<void> {
    const { NetworkSettings } = await container.inspect();
    await this.disconnect(container, NetworkSettings.Networks);
    await this.docker.getNetwork(id).connect({ Container: container.id });
  }

  /** Also from `none`, which the engine lets stand beside no other network. */
  private async disconnect(container: Dockerode.Container, networks: Networks): Promise<void> {
    for (const [name, { NetworkID }] of Object.entries(networks))
      await this.docker.getNetwork(NetworkID || name).disconnect({ Container: container.id, Force: true });
  }
}

function inPieces(text: string, characters: number): string[] {
  const count = Math.ceil(text.length / characters);
  return Array.from({ length: count }, (_, i) => text.slice(i * characters, (i + 1) * characters));
}

/** Whether a container has more than its loopback interface. */
export function isConnected(networks: Networks): boolean {
  return Object.keys(networks).some((name) => name !== 'none');
}

/** Error: `image_missing`. */
async function provideHelperImage(images: Images): Promise<void> {
  const noContext = () => Promise.reject(new Error('it is not built'));
  try {
    await images.prepare({ kind: 'image', name: BASE_IMAGE }, noContext, new AbortController().signal);
  } catch (cause) {
    if (!LongrunError.is(cause, 'image_missing')) throw cause;
    throw new LongrunError('image_missing', `Sandboxes with a network need a helper. ${cause.message}`, {
      hint: `Load it into the engine (docker pull ${BASE_IMAGE}, docker load), or use --network none.`,
      retryable: cause.retryable,
      details: cause.details,
      cause,
    });
  }
}

const isAboutNetwork = (words: string): boolean => words.includes('network ') && words.includes('not found');

const isNetworkGone = (error: unknown): boolean =>
  engineStatus(error) === 404 && isAboutNetwork(engineWords(error).toLowerCase());

function notShielded(error: unknown): LongrunError {
  if (!LongrunError.is(error, 'sandbox_failed') || error.hint !== undefined) return error as LongrunError;
  return new LongrunError(
    'sandbox_failed',
    `The sandbox cannot be kept from the host's addresses: ${error.message}`,
    {
      hint: "The kernel of the engine's machine needs nftables (modprobe nf_tables); or use --network none.",
      retryable: error.retryable,
      cause: error,
    },
  );
}
