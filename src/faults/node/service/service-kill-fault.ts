import { isEmbeddedNode } from '@turnsole/cluster/node/machine/embedded-node';
import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/index';
import type { InjectionEffect, InjectionTarget } from '../../../api/index.ts';
import { describeError, InjectError, StatusCheckError } from '../../../experiment/injection/errors.ts';
import type {
  Fault,
  FaultContext,
  Injection,
  Observed,
  PlanInput,
} from '../../../experiment/injection/fault.ts';
import { COMMON_TUNABLES, chaosDuration } from '../../../experiment/injection/settings/common-tunables.ts';
import { patterned } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';
import { type Capability, requireCapabilities } from '../../../experiment/node/capabilities.ts';
import { NodeError } from '../../../experiment/node/node-error.ts';
import { requireTools } from '../../../experiment/node/tools.ts';
import { ENTERING_HELPER, HELPER_RULES } from '../../by-helper.ts';
import { embeddedServices } from '../host/embedded.ts';
import type { HostServices, StoppedService } from '../host/services.ts';
import { systemdServices } from '../host/systemd.ts';
import { serviceUnit } from '../host/units.ts';

const DEFAULT_DURATION_SECONDS = 90;

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(DEFAULT_DURATION_SECONDS, 'How long the service is stopped.'),
  SERVICE_NAME: patterned(
    { pattern: '[A-Za-z0-9:_.@-]{1,200}', form: "a unit's name, such as k3s-agent" },
    'Unit of systemd that is stopped, where it has another name than usual; not used on the embedded cluster.',
  ),
  LEASE_SECONDS: {
    ...COMMON_TUNABLES.LEASE_SECONDS,
    description:
      'The node starts the service again by itself when the helper has given no sign of life for so long; helpers revert when API server or experiment give none.',
  },
} as const satisfies TunableSchema;

/** Entering the host takes these; on an embedded node its machine does it. */
const CAPABILITIES: readonly Capability[] = ['SYS_ADMIN', 'SYS_PTRACE', 'SYS_CHROOT'];
/** After a failure to put off the start by the host. */
const RENEW_RETRY_MS = 1_000;
/** The kubelet reports within moments that a pod runs. */
const OWN_POD_LIMIT_MS = 30_000;

/** The parts of a fault that stops a service that differ. */
interface ServiceKillDefinition extends Pick<Fault, 'name' | 'summary'> {
  readonly service: StoppedService['service'];
  /**
   * The units of a node with this container runtime, the service itself last. Pure.
   *
   * @throws InjectError when they are not known
   */
  units(containerRuntimeVersion: string, node: string): readonly string[];
  /** Whether containers end with the service, the helper's too: then the node alone has to bring it back at the end. Pure. */
  endsContainers(units: readonly string[]): boolean;
}

/** What inject and revert need; made by `plan`. */
interface Parameters {
  readonly isEmbedded: boolean;
  readonly units: readonly string[];
  readonly reviveSeconds: number;
  /** Whether the helper puts off the start by the node while it lives. */
  readonly isRenewed: boolean;
}

/** Injections of this process that are kept in force. */
const kept = new Map<string, AbortController>();

/**
 * A fault that stops a service of a node.
 *
 * What is touched: the unit of systemd on the host, and a transient timer there that starts it again; on an embedded node, its agent. How
 * it is undone: the unit is started. What remains if the helper dies: the node itself starts the service when its lease is over; after a
 * reboot it starts as always.
 */
export function serviceKillFault(definition: ServiceKillDefinition): Fault<typeof tunables> {
  const { name, summary, service } = definition;
  const serviceOf = ({ id, target, parameters }: Injection): StoppedService => {
    // The ledger keeps what `plan` below has made.
    const { units, reviveSeconds } = parameters as unknown as Parameters;
    return { id, node: target.name, service, units, reviveSeconds };
  };
  return {
    name,
    summary,
    tunables,
    targets: 'node',
    shape: 'sustained',
    where: 'node',
    targetStatus: 'targeted',
    injectMessage: `Injecting ${name} chaos on target node`,
    permissions: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }, ...HELPER_RULES],
    helper: { ...ENTERING_HELPER, silencesNode: true },
    observe,
    plan: ({ tunables: settings, targets }: PlanInput<typeof tunables>) =>
      targets.map(({ observed = {}, ...target }) => {
        const isEmbedded = observed.isEmbedded === true;
        if (!isEmbedded && observed.operatingSystem !== 'linux')
          throw new InjectError(`cannot stop a service of node ${target.name}: it runs no Linux`);
        const units = isEmbedded ? [] : unitsOf(definition, settings.SERVICE_NAME, observed, target);
        const isRenewed = isEmbedded || !definition.endsContainers(units);
        const parameters: Parameters = {
          isEmbedded,
          units,
          isRenewed,
          reviveSeconds: isRenewed ? settings.LEASE_SECONDS : settings.TOTAL_CHAOS_DURATION,
        };
        return { id: target.name, target, parameters: { ...parameters } };
      }),
    inject: async (injection, context) => {
      requireHostAccess(injection);
      await awaitOwnPod(context);
      const services = servicesOf(injection);
      await services.stop(serviceOf(injection), context.signal);
      if ((injection.parameters as unknown as Parameters).isRenewed)
        keep(serviceOf(injection), services, context);
    },
    revert: async (injection, { signal, note }) => {
      kept.get(injection.id)?.abort();
      kept.delete(injection.id);
      try {
        await servicesOf(injection).start(serviceOf(injection), signal);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        // A helper that may not enter the host has stopped nothing there; what another helper has stopped, the host starts by itself.
        note('LeftToNode', `node/${injection.target.name}`, describeError(error));
      }
    },
    effect: async ({ target }, { client, signal }) =>
      silenceEffect(await client.find<Node>(NODES, target.name, { signal })),
    settle: async (injections, context) => {
      await Promise.all(injections.map(({ target }) => awaitReady(target.name, context)));
    },
  };
}

/** A node that is still ready may only not have been given up yet, so that says nothing. Pure. */
export function silenceEffect(node: Node | undefined): InjectionEffect | undefined {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  return { seen: true, message: `the node is not ready: ${ready.reason ?? ready.status}` };
}

async function observe({ name }: InjectionTarget, { client, signal }: FaultContext): Promise<Observed> {
  const node = await client.get<Node>(NODES, name, { signal });
  const { containerRuntimeVersion, operatingSystem } = node.status?.nodeInfo ?? {};
  return { isEmbedded: isEmbeddedNode(node), containerRuntimeVersion, operatingSystem };
}

function unitsOf(
  { units }: ServiceKillDefinition,
  wanted: string,
  { containerRuntimeVersion }: Readonly<Record<string, unknown>>,
  { name }: InjectionTarget,
): readonly string[] {
  return wanted === '' ? units(String(containerRuntimeVersion ?? ''), name) : [serviceUnit(wanted)];
}

function servicesOf({ parameters }: Injection): HostServices {
  return parameters.isEmbedded === true ? embeddedServices() : systemdServices();
}

/** Not among the fault's needs: an embedded node has another way. */
function requireHostAccess({ target, parameters }: Injection): void {
  if (parameters.isEmbedded === true) return;
  const purpose = `stop a service of node ${target.name}`;
  requireCapabilities(CAPABILITIES, purpose);
  requireTools(['nsenter'], purpose);
}

/**
 * When a helper stops the kubelet before it has reported that this helper runs, the helper counts as one that never started. A helper
 * that cannot see its own pod goes on.
 */
async function awaitOwnPod({ client, clock, signal, tunables: settings, note }: FaultContext): Promise<void> {
  if (settings === undefined || settings.POD_NAME === '') return;
  const options = { namespace: settings.CHAOS_NAMESPACE, clock, signal, timeoutMs: OWN_POD_LIMIT_MS };
  const isSaid = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';
  try {
    await waitForObject<Pod>(client, PODS, settings.POD_NAME, isSaid, options);
  } catch (error) {
    signal.throwIfAborted();
    note('OwnPodNotSeen', `pod/${settings.CHAOS_NAMESPACE}/${settings.POD_NAME}`, describeError(error));
  }
}

/** Puts off the start by the host for as long as this process lives and holds the fault. */
function keep(service: StoppedService, services: HostServices, { clock, note }: FaultContext): void {
  if (kept.has(service.id)) return;
  const ended = new AbortController();
  kept.set(service.id, ended);
  const { signal } = ended;
  const work = async (): Promise<void> => {
    for (let waitMs = (service.reviveSeconds * 1000) / 3; ; ) {
      await clock.sleep(waitMs, signal);
      try {
        await services.renew(service, signal);
        waitMs = (service.reviveSeconds * 1000) / 3;
      } catch (error) {
        signal.throwIfAborted();
        note('RenewFailed', `node/${service.node}`, describeError(error));
        waitMs = RENEW_RETRY_MS;
      }
    }
  };
  work().catch(() => {
    // Ended by the revert.
  });
}

async function awaitReady(
  name: string,
  { client, clock, signal, recoveryTimeoutMs }: FaultContext,
): Promise<void> {
  const isReady = (node: Node | undefined): boolean =>
    node === undefined || isConditionTrue(node.status?.conditions, 'Ready');
  try {
    await waitForObject<Node>(client, NODES, name, isReady, { clock, signal, timeoutMs: recoveryTimeoutMs });
  } catch (cause) {
    if (!(cause instanceof WaitTimeoutError)) throw cause;
    throw new StatusCheckError(
      `node ${name} is not ready ${recoveryTimeoutMs / 1000} s after its service was started again; look at its conditions`,
      { cause, target: `{nodeName: ${name}}` },
    );
  }
}
