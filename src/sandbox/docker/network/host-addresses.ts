import { networkInterfaces } from 'node:os';
import type Dockerode from 'dockerode';
import { MINUTE_MS } from '../../../core/time.js';
import { asking } from '../engine-error.js';
import { type AddressRange, addressRange } from './address-ranges.js';
import { HelperContainer } from './helper-container.js';
import { TELL_ADDRESSES } from './helper-programs.js';

/** So long an address that the machine gets meanwhile is not known. */
const REMEMBERED_MS = MINUTE_MS;
/** Docker Desktop's names for the machine around its virtual one, which answers there with its loopback services. */
const DESKTOP_NAMES = ['host.docker.internal', 'gateway.docker.internal'];

export interface HostAddresses {
  /** All that the engine's machine answers to, and this process's machine, which may be another one. */
  addresses: AddressRange[];
  /** Whom the engine asks for names from within a sandbox's network namespace. */
  nameservers: AddressRange[];
}

/** Asks the engine's machine for its addresses, at most once a minute. */
export class HostAddressBook {
  private answer: Promise<HostAddresses> | null = null;
  private askedAtMs = 0;

  constructor(
    private readonly docker: Dockerode,
    private readonly provideHelperImage: () => Promise<void>,
    private readonly rememberedMs = REMEMBERED_MS,
  ) {}

  current(labels: Record<string, string>): Promise<HostAddresses> {
    if (this.answer !== null && performance.now() - this.askedAtMs < this.rememberedMs) return this.answer;
    const answer = this.ask(labels);
    this.answer = answer;
    this.askedAtMs = performance.now();
    answer.catch(() => {
      if (this.answer === answer) this.answer = null;
    });
    return answer;
  }

  private async ask(labels: Record<string, string>): Promise<HostAddresses> {
    await this.provideHelperImage();
    const { OperatingSystem } = await asking('asking what it runs on', () => this.docker.info());
    const helper = await HelperContainer.create(this.docker, {
      program: TELL_ADDRESSES,
      args: OperatingSystem === 'Docker Desktop' ? DESKTOP_NAMES : [],
      networkMode: 'host',
      capabilities: [],
      labels,
    });
    const told = readAddresses(await helper.run().finally(() => helper.remove()));
    return { ...told, addresses: [...told.addresses, ...ownAddresses()] };
  }
}

/** Name servers on loopback are asked from the machine's own namespace, those of IPv6 not at all. */
export function readAddresses(printed: string): HostAddresses {
  const found: HostAddresses = { addresses: [], nameservers: [] };
  for (const line of printed.split('\n')) {
    const [kind, value = ''] = line.split(' ');
    const range = addressRange(value);
    if (range === null) continue;
    if (kind === 'address') found.addresses.push(range);
    if (kind === 'nameserver' && !value.startsWith('127.')) found.nameservers.push(range);
  }
  return found;
}

function ownAddresses(): AddressRange[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => addressRange(address))
    .filter((range) => range !== null);
}
