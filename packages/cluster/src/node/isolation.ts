import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseResolvConf } from '@turnsole/kube/text/resolv-conf';
import type { Outside } from '../rootless/inside.ts';
import type { ClusterDnsConfig } from './dns/resolv-conf.ts';
import type { AddressBlock } from './network/address-block.ts';
import { closeFirewall, openFirewall } from './network/firewall.ts';
import { addMasquerade, forwardPackets, removeMasquerade } from './network/masquerade.ts';
import { PodNetwork, removeDeadLinks } from './network/pod-network.ts';
import type { PolicyEnforcer } from './network/policy/policy-enforcer.ts';
import { claimPrivateBlock, type PrivateBlock } from './network/private-block.ts';
import type { CgroupLayout } from './runtime/isolated/cgroup-layout.ts';
import { ClusterCgroups } from './runtime/isolated/cgroups.ts';
import type { ContainerGroups } from './runtime/isolated/container-groups.ts';
import type { ContainerTools } from './runtime/isolated/container-tools.ts';
import { nextCgroupName, removeDeadCgroups } from './runtime/isolated/dead-clusters.ts';
import { MarkedProcesses } from './runtime/isolated/marked-processes.ts';
import { type IsolationProbe, probeIsolation } from './runtime/isolated/probe.ts';
import type { PipePool } from './runtime/pipe-pool.ts';
import type { Reaper } from './runtime/reaper.ts';
import type { ContainerRuntime } from './runtime/types.ts';
import { readUserNamespace, type UserNamespace } from './user-namespace.ts';

/** Whether pods are isolated from each other: where that is possible, not at all, or else not started. */
type IsolationMode = 'auto' | 'none' | 'full';

/** Isolation was asked for and is not possible. */
class IsolationError extends Error {
  override readonly name = 'IsolationError';
}

/** The options of isolation. */
interface IsolationOptions {
  readonly mode: IsolationMode;
  /** The cluster's folder. */
  readonly dataDir: string;
  readonly nodes: number;
  /** Block of addresses to have again if it is free. */
  readonly addressBlock?: number | undefined;
  readonly reaper: Pick<Reaper, 'add' | 'delete' | 'addCgroup' | 'addLinks' | 'addFolder' | 'addUsers'>;
  /** Why an ordinary user is not root of namespaces of his own. @default it was not tried */
  readonly notRootless?: string | undefined;
  readonly outside?: Pick<Outside, 'outward'> | undefined;
}

/** What the rest of the cluster gives to the runtime. */
interface RuntimeParts {
  readonly pipes: PipePool;
  /** Folder of the built-in images. */
  readonly imagesDirectory: string;
  /** Paths of the host that every container needs. */
  readonly needs: readonly string[];
  readonly policies?: PolicyEnforcer | undefined;
}

/** The means by which a cluster's pods are isolated. */
export interface Isolation {
  readonly addresses: PrivateBlock;
  /** Addresses that answer for names of the world. */
  readonly resolvers: readonly string[];
  /** Controllers whose limits hold. */
  readonly limits: ReadonlySet<string>;
  /** The runtime of all nodes. */
  runtime(parts: RuntimeParts): Promise<ContainerRuntime>;
  /** Removes links, cgroups and layers, after the pods. Never rejects. */
  close(): Promise<void>;
}

/** Isolation, or why it is not possible. */
export type IsolationOutcome =
  | { readonly isolation: Isolation }
  | { readonly isolation?: undefined; readonly missing: string };

/**
 * Finds out whether pods can be isolated, and prepares it: addresses, bridge and cgroups. Removes the remains of clusters
 * that were killed together with their reaper.
 *
 * @throws IsolationError when it is required and not possible
 */
export async function openIsolation(options: IsolationOptions): Promise<IsolationOutcome> {
  const { mode, dataDir } = options;
  if (mode === 'none') return { missing: 'it was not asked for (--isolation none)' };
  const probe = await probeIsolation(dataDir, basename(dataDir), options.notRootless);
  const outcome = probe.available ? await prepare(options, probe) : { missing: probe.missing };
  if (outcome.isolation === undefined && mode === 'full') {
    throw new IsolationError(
      `pods cannot be isolated (--isolation full): ${outcome.missing}; use --isolation auto to run them without`,
    );
  }
  return outcome;
}

async function prepare(
  { dataDir, nodes, addressBlock, reaper, outside }: IsolationOptions,
  { cgroups: layout, layers, image }: Extract<IsolationProbe, { available: true }>,
): Promise<IsolationOutcome> {
  const undo: (() => unknown)[] = [() => rmSync(layers, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const users = readUserNamespace();
  reaper.addFolder(layers);
  if (!users.isMachine) reaper.addUsers();
  try {
    const cgroups = openGroups(layout, users);
    undo.push(() => cgroups.remove());
    for (const folder of cgroups.folders) reaper.addCgroup(folder);
    const addresses = await claimPrivateBlock(nodes, addressBlock);
    undo.push(() => addresses.release());
    const network = new PodNetwork(addresses);
    reaper.addLinks(network.bridge);
    undo.push(() => network.close());
    await network.open();
    const { bridge } = network;
    if (!users.isMachine) forwardPackets();
    // Neither is awaited: the first pod takes longer to come up than this.
    const masquerade = addMasquerade(bridge, addresses.podsCidr, addresses.cidr);
    const firewall = openFirewall(bridge, addresses.cidr);
    undo.push(async () => {
      if (await masquerade) await removeMasquerade(bridge);
      if (await firewall) await closeFirewall(bridge);
    });
    // It is not awaited, and nothing of ours is touched. Processes first: links stay while pods are there.
    const removed = layout === undefined ? Promise.resolve() : removeDeadCgroups(layout);
    void removed.then(() => removeDeadLinks(addresses.number));
    const dns = dnsConfig(addresses.dnsAddress, outside?.outward);
    return {
      isolation: {
        addresses,
        resolvers: dns.host.nameservers,
        limits: cgroups.controllers,
        runtime: async ({ pipes, imagesDirectory, needs, policies }) => {
          const { IsolatedRuntime } = await import('./runtime/isolated/isolated-runtime.ts');
          let tools: Promise<ContainerTools> | undefined;
          return new IsolatedRuntime({
            podsDirectory: join(dataDir, 'pods'),
            layers,
            image,
            users,
            imagesDirectory,
            needs,
            tools: () => (tools ??= copyTools(layers)),
            network,
            policies,
            leasePodAddress: (hostIP) => addresses.leasePodAddress(addresses.nodeOf(hostIP)),
            cgroups,
            groups: reaper,
            pipes,
            dns,
          });
        },
        close,
      },
    };
  } catch (error) {
    await close();
    return { missing: messageOf(error) };
  }
}

/** Loaded with the first container of an image. */
async function copyTools(layers: string): Promise<ContainerTools> {
  const { makeContainerTools } = await import('./runtime/isolated/container-tools.ts');
  return await makeContainerTools(join(layers, 'tools'));
}

/** Cgroups, which root of namespaces of its own has only below one that was handed to its user. @throws Error of the file system for root of the machine */
function openGroups(layout: CgroupLayout | undefined, { isMachine }: UserNamespace): ContainerGroups {
  if (layout === undefined) return new MarkedProcesses();
  try {
    return new ClusterCgroups(layout, nextCgroupName());
  } catch (error) {
    if (isMachine) throw error;
    return new MarkedProcesses();
  }
}

/** The addresses of isolated pods, as those of pods without networks of their own are given. */
export function isolatedAddresses({ addresses }: Isolation): AddressBlock {
  return {
    separate: true,
    serviceCidr: addresses.serviceCidr,
    podCidr: addresses.podsCidr,
    nodeAddress: (node) => addresses.nodeAddress(node),
    leasePodAddress: () => addresses.leasePodAddress(1),
    release: () => addresses.release(),
  };
}

function dnsConfig(address: string, outward: Outside['outward'] | undefined): ClusterDnsConfig {
  return { nameservers: [address], domain: 'cluster.local', host: resolverOf(outward) };
}

/** What resolves names of the world: that of the machine, or of the connections outward where these are not the machine's. */
function resolverOf(outward: Outside['outward'] | undefined): ReturnType<typeof hostResolver> {
  const ofMachine = hostResolver();
  if (outward === undefined) return ofMachine;
  return { ...ofMachine, nameservers: 'resolver' in outward ? [outward.resolver] : [] };
}

/** What the machine itself resolves names by. */
function hostResolver(): ReturnType<typeof parseResolvConf> {
  try {
    return parseResolvConf(readFileSync('/etc/resolv.conf', 'utf8'));
  } catch {
    return { nameservers: [], searches: [], options: [] };
  }
}
