import { createHash } from 'node:crypto';
import { findProgram } from '@turnsole/kube/base/machine';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import {
  type Fault,
  type FaultContext,
  type Injection,
  type Observed,
  type PlanInput,
  parametersOf,
} from '../../experiment/injection/fault.ts';
import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { list, number, patterned } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { NodeError } from '../../experiment/node/node-error.ts';
import { ENTERING_HELPER, POD_HELPER_RULES, POD_NETWORK_NEEDS } from '../by-helper.ts';
import { interceptorState } from '../intercept/interceptor-state.ts';
import { addressesOf } from './addresses.ts';
import { type PacketSelection, parseSelection } from './packet-filter.ts';
import { addQueue, kernelHasQueue, queueCounts, removeQueue } from './queue.ts';
import { idleEffect, queueEffect } from './queue-effect.ts';
import {
  assertNetworkUsable,
  assertTargetGone,
  findTargetNetwork,
  observedNetwork,
  readTargetPod,
  targetNetwork,
} from './target-network.ts';
import { hitQueue, type PacketEffect } from './tc-plan.ts';

/** Settings that all faults on a pod's packets have. */
export const NETWORK_TUNABLES = {
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long the network is disturbed.'),
  NETWORK_INTERFACE: patterned(
    { default: 'eth0', pattern: '^[A-Za-z0-9_.:-]{1,15}$' },
    'Interface in the pod whose outgoing packets are hit.',
  ),
  DESTINATION_IPS: list(
    {},
    'Addresses and CIDRs (IPv4 and IPv6) the packets of which are hit, each optionally with ports: 10.0.0.1|80|443.',
  ),
  DESTINATION_HOSTS: list(
    {},
    'Names that stand for such addresses, each optionally with ports; resolved once, in the helper.',
  ),
  SOURCE_PORTS: list(
    {},
    'Ports of the pod the packets from which are hit; with ! in front, all others. Ranges: 8000-8080.',
  ),
  DESTINATION_PORTS: list(
    {},
    'Ports the packets to which are hit; with ! in front, all others. Ranges: 8000-8080.',
  ),
} as const satisfies TunableSchema;

/** CORRELATION, as netem has it. */
export const CORRELATION = number(
  { default: 0, minimum: 0, maximum: 100, unit: 'percent' },
  "How much a packet's fate depends on that of the one before.",
);

/** The parts of one of these faults that differ. */
interface NetworkFaultDefinition<S extends TunableSchema>
  extends Pick<Fault<S>, 'name' | 'summary' | 'tunables' | 'validate'> {
  /** What happens to packets by these settings. Pure. */
  effect(tunables: Tunables<S>): PacketEffect;
  /** Whether proxies may stand in for the queue. */
  readonly proxied?: boolean;
  /**
   * Gives the effect that this kernel can make instead, or the same.
   *
   * @default the same, which takes a queue of netem
   * @throws NodeError when this kernel cannot do anything like it
   */
  adapt?(effect: PacketEffect, signal: AbortSignal, selection: PacketSelection): Promise<PacketEffect>;
}

/**
 * A fault on the packets that leave a pod, by a queue at an interface in the pod's network namespace.
 *
 * What is touched: the root queue of that interface; one that another program has put there is never replaced, the fault is refused
 * then. How it is undone: the queue is removed by its handle, from any process on the node. What remains if the helper dies:
 * the queue, until recovery or the pod's end; it outlives restarts of containers, and so does the effect.
 */
export function networkFault<S extends TunableSchema & typeof NETWORK_TUNABLES>(
  definition: NetworkFaultDefinition<S>,
): Fault<S> {
  const { name, summary, tunables } = definition;
  const adapt: Adapt = definition.adapt ?? ((effect, signal) => needNetem(name, effect, signal));
  return {
    name,
    summary,
    tunables,
    validate: (settings) => [
      ...parseSelection(shared(settings)).problems,
      ...(definition.validate?.(settings) ?? []),
    ],
    targets: 'containers',
    shape: 'sustained',
    where: 'node',
    permissions: POD_HELPER_RULES,
    needs: {
      ...POD_NETWORK_NEEDS,
      tools: ['tc', 'nsenter', 'unshare'],
    },
    // Proxies are processes of the helper, one for each target: limits would slow the traffic down, or end them all.
    helper: definition.proxied === true ? { ...ENTERING_HELPER, unlimited: true } : ENTERING_HELPER,
    checkNode: async (settings, signal) => {
      await adapt(definition.effect(settings), signal, parseSelection(shared(settings)).selection);
    },
    observe,
    plan: (input) => plan(definition, input),
    inject: (injection, context) => inject(injection, context, adapt),
    effect,
    idleReason: (settings) => idleEffect(definition.effect(settings)),
    revert,
  };
}

type Adapt = NonNullable<NetworkFaultDefinition<TunableSchema>['adapt']>;

/** What inject, effect and revert need; made by `plan`. */
interface NetworkParameters {
  readonly device: string;
  readonly effect: PacketEffect;
  readonly selection: PacketSelection;
  readonly containerId: unknown;
  readonly mesh: boolean;
  readonly proxied?: true;
}

/** What stands in for a netem queue, by the kind of the adapted effect, in words for the timeline. */
const STAND_INS: Readonly<Record<string, string>> = {
  drop: 'a filter that draws a number for each packet stands in for it',
  proxy:
    "proxies delay what the pod's TCP servers send on new connections; on open ones OPEN_CONNECTIONS holds; nothing else is delayed",
};

async function observe(target: InjectionTarget, context: FaultContext): Promise<Observed> {
  const pod = await readTargetPod(target, context);
  return { ...observedNetwork(pod, target), mesh: isMeshed(pod) };
}

/** Whether a proxy in the pod makes its connections to the pods behind a service, and not to the service. */
function isMeshed({ spec }: Pod): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return containers.some(({ name }) => /istio|envoy|linkerd-proxy/.test(name));
}

function plan<S extends TunableSchema & typeof NETWORK_TUNABLES>(
  definition: NetworkFaultDefinition<S>,
  { tunables, targets }: PlanInput<S>,
): readonly Injection[] {
  const settings = shared(tunables);
  const { selection } = parseSelection(settings);
  const effect = definition.effect(tunables);
  return targets.map((target) => {
    const { observed = {}, ...rest } = target;
    assertNetworkUsable(definition.name, target);
    const parameters: NetworkParameters = {
      device: settings.NETWORK_INTERFACE,
      effect,
      selection,
      containerId: observed.containerId,
      mesh: observed.mesh === true,
      ...(definition.proxied === true ? { proxied: true } : {}),
    };
    return { id: `${target.namespace}.${target.name}`, target: rest, parameters: { ...parameters } };
  });
}

/** `S` has the settings of NETWORK_TUNABLES with their types; TypeScript does not look into a type parameter for them. */
function shared(tunables: object): Tunables<typeof NETWORK_TUNABLES> {
  return tunables as Tunables<typeof NETWORK_TUNABLES>;
}

async function inject(injection: Injection, context: FaultContext, adapt: Adapt): Promise<void> {
  const pod = objectOf(injection.target);
  const { effect, selection, mesh, device } = parametersOf<NetworkParameters>(injection);
  const adapted = await adapt(effect, context.signal, selection);
  if (adapted.kind !== effect.kind) {
    context.note(
      'Injecting',
      pod,
      `this kernel has no netem queue; ${STAND_INS[adapted.kind] ?? adapted.kind}`,
    );
  }
  const found = await addressesOf(selection.hosts, { mesh, context, object: pod });
  const network = await targetNetwork(injection);
  if (adapted.kind === 'proxy') {
    const { delayServers } = await import('./tcp-latency.ts');
    const { delayMs, open } = adapted;
    const latency = { device, delayMs, open, selection };
    const state = interceptorState(injection.id, context);
    return delayServers(injection.id, network, latency, pod, context.note, state);
  }
  await addQueue(
    network,
    {
      device,
      handle: handleOf(injection.id),
      effect: adapted,
      selection: { only: [...selection.only, ...found], except: selection.except },
    },
    pod,
    context.signal,
  );
}

async function effect(injection: Injection, { signal }: FaultContext): Promise<InjectionEffect | undefined> {
  const { device, effect: planned, proxied } = parametersOf<NetworkParameters>(injection);
  const network = await findTargetNetwork(injection);
  if (network === undefined) return undefined;
  const queue = hitQueue(await queueCounts(network, device), handleOf(injection.id));
  if (queue !== undefined) return queueEffect(planned, queue);
  if (proxied !== true) return undefined;
  return (await import('./tcp-latency.ts')).proxyEffect(injection.id, network, signal);
}

async function revert(injection: Injection, context: FaultContext): Promise<void> {
  const { device, proxied: isProxied } = parametersOf<NetworkParameters>(injection);
  // Proxies are there on kernels without netem only, where nothing else delays.
  const proxied = isProxied === true ? await import('./tcp-latency.ts') : undefined;
  await proxied?.stopProxies(injection.id);
  const network = await findTargetNetwork(injection);
  if (network === undefined) return assertTargetGone(injection, context);
  if (findProgram('nft') !== undefined) await proxied?.removeRedirects(injection.id, network);
  await removeQueue(network, device, handleOf(injection.id), context.signal);
}

/** A handle that follows from the injection, so that the component that reverts it needs nothing else: 7000: to 7eff:. Pure. */
export function handleOf(injectionId: string): string {
  const number = createHash('sha256').update(injectionId).digest().readUInt16BE(0) % 0xf00;
  return `${(0x7000 + number).toString(16)}:`;
}

/** Keeps an effect that needs netem, or refuses it by the name of the kernel's module. @throws NodeError */
async function needNetem(fault: string, effect: PacketEffect, signal: AbortSignal): Promise<PacketEffect> {
  if (await kernelHasQueue('netem', signal)) return effect;
  throw new NodeError(
    `cannot inject ${fault}: the kernel of this node has no netem queue (module sch_netem, CONFIG_NET_SCH_NETEM); install ` +
      'it (Debian: linux-image-amd64, Red Hat: kernel-modules-extra) or choose a node that has it',
  );
}
