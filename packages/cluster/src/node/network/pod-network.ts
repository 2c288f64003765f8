import { setTimeout as delay } from 'node:timers/promises';
import { namesIn } from '../files.ts';
import { type Claim, claimName } from './claim.ts';
import { closeFirewall } from './firewall.ts';
import { IpCommands } from './ip-commands.ts';
import { removeMasquerade } from './masquerade.ts';
import { blockClaim, type PrivateBlock } from './private-block.ts';

/**
 * Gives the name of a cluster's bridge, which the names of its pods' links begin with; pure. The mark distinguishes it from the bridge
 * of an earlier owner of the block, whose links may still be being removed.
 */
export function bridgeName(block: number, mark: string): string {
  return `tsl${block}-${mark}`;
}

/** The block that a link belongs to, undefined for those of others; pure. */
export function blockOfLink(name: string): number | undefined {
  const found = /^tsl(\d{1,3})-[0-9a-z]{4}(?:-[0-9a-z]+)?$/.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A pod's way into the network, to be set up from inside of it. */
export interface PodLink {
  /** Name on the host. */
  readonly name: string;
  /** Lines for `ip -batch` in the pod's network namespace. */
  readonly commands: readonly string[];
}

/**
 * The network of one cluster's pods: a bridge with the gateway's address, and a pair of links for each pod.
 *
 * Services and nodes have no links: a route says that all their addresses are the host's own, so that anything can
 * listen on them.
 */
export class PodNetwork {
  readonly #block: PrivateBlock;
  /** Name of the bridge; those of pods' links begin with it. */
  readonly bridge: string;
  readonly #ip = new IpCommands();
  #next = 1;

  constructor(block: PrivateBlock, random: () => number = Math.random) {
    this.#block = block;
    const mark = Math.floor(random() * 36 ** 4).toString(36);
    this.bridge = bridgeName(block.number, mark.padStart(4, '0'));
  }

  /** Makes the bridge, and removes what an earlier owner of the block left. @throws Error with what ip said */
  async open(): Promise<void> {
    const { bridge } = this;
    const left = readLinks().filter((name) => blockOfLink(name) === this.#block.number);
    if (left.length > 0) await this.#ip.run(...left.map((name) => `link del ${name}`)).catch(() => {});
    const { gateway, podPrefix, localCidr } = this.#block;
    await this.#ip.run(
      // Without it, it would be the address of some pod, and pods would lose the gateway whenever that pod starts or ends.
      `link add ${bridge} address ${linkAddress(gateway)} type bridge`,
      `addr add ${gateway}/${podPrefix} dev ${bridge}`,
      `link set ${bridge} up`,
      `route add local ${localCidr} dev ${bridge}`,
    );
  }

  /** The commands by which a pod joins the network with this address; then {@link connect}. */
  newLink(address: string): PodLink {
    const { gateway, podPrefix } = this.#block;
    // 15 characters at most: room for some 46,000 pods, and then those of the first are long gone.
    const name = `${this.bridge}-${(this.#next++ % 36 ** 3).toString(36)}`;
    return {
      name,
      commands: [
        'link set lo up',
        `link add eth0 address ${linkAddress(address)} type veth peer name ${name} netns /proc/${process.pid}/ns/net`,
        `addr add ${address}/${podPrefix} dev eth0`,
        'link set eth0 up',
        `route add default via ${gateway}`,
      ],
    };
  }

  /** Connects a pod's link to the bridge. @throws Error with what ip said */
  connect(link: PodLink): Promise<void> {
    return this.#ip.run(`link set ${link.name} master ${this.bridge} up`);
  }

  /** Removes a pod's link, which may have gone with the pod. Never rejects. */
  disconnect(link: PodLink): Promise<void> {
    return this.#ip.run(`link del ${link.name}`).catch(() => {});
  }

  /** Removes the bridge and all links. Never rejects. */
  async close(): Promise<void> {
    const own = readLinks().filter((name) => name.startsWith(this.bridge));
    await this.#ip.run(...own.map((name) => `link del ${name}`)).catch(() => {});
    await this.#ip.close();
  }
}

/**
 * The links of an unclaimed block whose cluster is dead for good; pure. A pod's link ends with the pod: while one
 * exists, its cluster was killed alone and may be started again. Without the bridge its block would look free, another cluster would take
 * it, and those pods would find that one's API server at the address of their own.
 */
export function deadLinksOf(block: number, links: readonly string[]): readonly string[] {
  const own = links.filter((name) => blockOfLink(name) === block);
  return own.every(isBridge) ? own : [];
}

function isBridge(name: string): boolean {
  return name.split('-').length === 2;
}

/**
 * Removes the links of clusters that are dead: whose block is unclaimed, and whose pods are gone. Never rejects.
 */
export async function removeDeadLinks(ownBlock: number): Promise<void> {
  const blocks = new Set(readLinks().map(blockOfLink));
  blocks.delete(undefined);
  blocks.delete(ownBlock);
  if (blocks.size === 0) return;
  const ip = new IpCommands();
  for (const block of blocks) {
    if (block !== undefined) await removeBlock(block, ip);
  }
  await ip.close();
}

/** Links of pods that have just been killed disappear with their network namespaces, a moment later: they are checked for this long. */
const LOOKS = 20;
const LOOK_MS = 50;

async function removeBlock(block: number, ip: IpCommands): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    // Not for longer than it takes: its owner may be about to be started again.
    const claim: Claim | undefined = await claimName(blockClaim(block));
    if (claim === undefined) return;
    const links = readLinks();
    const dead = deadLinksOf(block, links);
    await Promise.all(dead.flatMap((link) => [removeMasquerade(link), closeFirewall(link)]));
    if (dead.length > 0) await ip.run(...dead.map((name) => `link del ${name}`)).catch(() => {});
    await claim.release();
    if (dead.length > 0 || !links.some((name) => blockOfLink(name) === block)) return;
    await delay(LOOK_MS, undefined, { ref: false });
  }
}

function readLinks(): string[] {
  return namesIn('/sys/class/net');
}

/** An Ethernet address that belongs to the IP address: a neighbour that knew the one before it is not misled; pure. */
export function linkAddress(address: string): string {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return ['0a', '58', ...bytes].join(':');
}
