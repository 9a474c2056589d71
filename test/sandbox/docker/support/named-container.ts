import Docker from 'dockerode';
import { BASE_IMAGE } from '../../../../src/core/base-image.js';
import { Images } from '../../../../src/sandbox/docker/images.js';
import { addressRange, mergedRanges } from '../../../../src/sandbox/docker/network/address-ranges.js';
import { firewallBatch } from '../../../../src/sandbox/docker/network/firewall.js';
import { HelperContainer } from '../../../../src/sandbox/docker/network/helper-container.js';
import { APPLY_FIREWALL } from '../../../../src/sandbox/docker/network/helper-programs.js';
import { PublicNetwork } from '../../../../src/sandbox/docker/network/public-network.js';
import { SandboxNetwork } from '../../../../src/sandbox/docker/network/sandbox-network.js';
import { docker } from '../kit.js';

const engine = new Docker();

/** A container on the network of sandboxes for which the engine asks a name server of the test's own. */
export async function connectedContainer(nameserver: string): Promise<string> {
  const container = await engine.createContainer({
    Image: BASE_IMAGE,
    Cmd: ['sleep', '600'],
    HostConfig: { NetworkMode: 'none', Dns: [nameserver], CapDrop: ['NET_RAW'] },
  });
  const network = new PublicNetwork(engine, new SandboxNetwork(engine), new Images(engine));
  await network.open(container, {}, () => container.start());
  return container.id;
}

/** Refuses an address of the host but for names, as where the host's own configuration names it as its name server. */
export async function allowNameserver(container: string, address: string): Promise<void> {
  const ranges = ['0.0.0.0/8', address]
    .map((prefix) => addressRange(prefix))
    .filter((range) => range !== null);
  const rules = { refused: mergedRanges(ranges), nameservers: ranges.slice(1) };
  const helper = await HelperContainer.create(engine, {
    program: APPLY_FIREWALL,
    args: [firewallBatch(rules).toString('hex')],
    networkMode: `container:${container}`,
    capabilities: ['NET_ADMIN'],
    labels: {},
  });
  await helper.run().finally(() => helper.remove());
}

/** What a name resolves to from inside. */
export async function lookUp(container: string): Promise<string> {
  const answer = 'print join(".", unpack "C4", scalar gethostbyname("name.example") // "")';
  return docker('exec', '--env', 'RES_OPTIONS=timeout:1 attempts:1', container, 'perl', '-e', answer);
}

/** `connected`, or why not, by TCP. */
export async function connectFrom(container: string, address: string, port: number): Promise<string> {
  const connect = `use Socket; socket(my $s, AF_INET, SOCK_STREAM, 0); alarm 10;
print connect($s, pack_sockaddr_in(${port}, inet_aton("${address}"))) ? "connected" : $!`;
  return docker('exec', container, 'perl', '-e', connect);
}
