import type { Random } from '@turnsole/kube/base/clock';
import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import { ContainerRuntimeError } from '../../experiment/injection/errors.ts';
import type {
  DeclaredPorts,
  Fault,
  FaultContext,
  Injection,
  Observed,
} from '../../experiment/injection/fault.ts';
import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import type { Capability } from '../../experiment/node/capabilities.ts';
import { runCommand } from '../../experiment/node/command.ts';
import { locateContainer } from '../../experiment/node/container-locator.ts';
import { NodeError } from '../../experiment/node/node-error.ts';
import { ENTERING_HELPER, POD_HELPER_RULES, POD_NETWORK_NEEDS } from '../by-helper.ts';
import { undeclaredPorts } from '../network/declared-ports.ts';
import { listeningPorts } from '../network/listening.ts';
import { assertOwnNetwork } from '../network/pod-network.ts';
import {
  assertNetworkUsable,
  assertTargetGone,
  findTargetNetwork,
  observedNetwork,
  readTargetPod,
  targetNetwork,
} from '../network/target-network.ts';
import type { InterceptParameters } from './config.ts';
import { describeFormer, idleReason, interceptEffect, whoListens } from './effect.ts';
import { Interceptor } from './interceptor.ts';
import { interceptorState } from './interceptor-state.ts';
import { removeRedirection } from './remove-redirection.ts';
import { redirectRules, tableOf } from './rules.ts';

/** The parts of one of these faults that differ. */
interface InterceptFaultDefinition<S extends TunableSchema>
  extends Pick<Fault<S>, 'name' | 'summary' | 'tunables' | 'validate'> {
  /** Capabilities of its interceptor besides those of the redirection. */
  readonly capabilities?: readonly Capability[];
  /** The redirection and its service; random parts are drawn anew for each target. Pure. */
  intercept(tunables: Tunables<S>, random: Random): InterceptParameters;
  /** Completes it with what only the node of the target knows. @param pid the first process of the container */
  complete?(parameters: InterceptParameters, pid: number): Promise<InterceptParameters>;
}

/** The interceptors that a fault has started in this process, by injection. */
type Running = Map<string, Interceptor>;

/**
 * A fault on what a pod is sent or sends, by an interceptor in its network namespace and rules that redirect to it.
 *
 * What is touched: a table of nft of its own in the pod's network namespace, and a process in that namespace. How it is undone:
 * the table is removed, from any process on the node, and the process ends by itself. What remains if the helper
 * dies: nothing; the process dies with it, and the rules expire after {@link import('./rules.ts').RULES_TIMEOUT_SECONDS} seconds.
 * It outlives restarts of containers, as the namespace does.
 */
export function interceptFault<const S extends TunableSchema>(
  definition: InterceptFaultDefinition<S>,
): Fault<S> {
  const { name, summary, tunables, validate, capabilities = [] } = definition;
  const running: Running = new Map();
  return {
    name,
    summary,
    tunables,
    validate,
    targets: 'containers',
    shape: 'sustained',
    where: 'node',
    permissions: POD_HELPER_RULES,
    needs: {
      ...POD_NETWORK_NEEDS,
      capabilities: [...POD_NETWORK_NEEDS.capabilities, ...capabilities],
      tools: ['nft', 'nsenter', 'unshare'],
    },
    // The traffic of all targets passes through processes of the helper, which limits would slow down.
    helper: { ...ENTERING_HELPER, unlimited: true },
    checkNode: (settings, signal) => tryRules(definition.intercept(settings, Math.random), signal),
    observe,
    plan: ({ tunables: settings, targets, random }) =>
      targets.map((target) => {
        assertNetworkUsable(name, target);
        const { observed = {}, ...rest } = target;
        return {
          id: `${target.namespace}.${target.name}`,
          target: rest,
          parameters: { ...definition.intercept(settings, random), containerId: observed.containerId },
        };
      }),
    inject: (injection, context) => inject(definition, injection, context, running),
    effect: (injection, context) => effect(injection, context, running),
    // What is drawn for a target decides over no request.
    idleReason: (settings) => idleReason(definition.intercept(settings, () => 0).service),
    doubts: (settings, declared) =>
      doubts(
        definition.intercept(settings, () => 0),
        declared,
      ),
    revert: (injection, context) => revert(injection, context, running),
  };
}

async function observe(target: InjectionTarget, context: FaultContext): Promise<Observed> {
  return { ...observedNetwork(await readTargetPod(target, context), target) };
}

/** Whether this kernel takes the rules, tried in a namespace of its own. */
async function tryRules({ redirect, open }: InterceptParameters, signal: AbortSignal): Promise<void> {
  const input = redirectRules('turnsole_try', ['ip'], redirect, [1], open);
  const { exitCode, stderr } = await runCommand(['unshare', '--net', 'nft', '-f', '-'], {
    input,
    signal,
    accept: [0, 1],
  });
  if (exitCode === 0) return;
  throw new NodeError(
    `this kernel cannot redirect connections by nftables (modules nf_tables, nft_redir, nft_reject): ${stderr.trim().split('\n')[0]}`,
  );
}

async function inject<S extends TunableSchema>(
  { complete }: InterceptFaultDefinition<S>,
  injection: Injection,
  context: FaultContext,
  running: Running,
): Promise<void> {
  if (running.has(injection.id)) return;
  const pod = objectOf(injection.target);
  const network = await targetNetwork(injection);
  await assertOwnNetwork(network, pod);
  // These were made by `plan` of this file.
  const planned = injection.parameters as unknown as InterceptParameters;
  const { redirect, service, open } =
    complete === undefined
      ? planned
      : await complete(planned, (await locateContainer(String(injection.parameters.containerId))).pid);
  if (redirect.kind === 'inbound') {
    const listening = await foreignPorts(network.process.pid, planned);
    const absent = whoListens(redirect.ports, listening);
    if (absent !== '') {
      context.note('Warning', pod, `port ${redirect.ports.join(', ')} is hit now${absent}`);
    }
  }
  const config = { table: tableOf(injection.id), redirect, service, open };
  const note = (message: string): void => context.note('Warning', pod, message);
  const state = interceptorState(injection.id, context);
  const interceptor = await Interceptor.start(network.process, config, note, state);
  running.set(injection.id, interceptor);
  const former = describeFormer(interceptor.former, config);
  if (former !== undefined) context.note('OpenConnections', pod, former);
}

async function effect(
  injection: Injection,
  { signal }: FaultContext,
  running: Running,
): Promise<InjectionEffect | undefined> {
  const interceptor = running.get(injection.id);
  const count = await interceptor?.count(signal);
  const network = await findTargetNetwork(injection);
  // A pod that is gone takes its connections along, and with them what they met.
  if (interceptor === undefined || count === undefined || network === undefined) return undefined;
  const parameters = injection.parameters as unknown as InterceptParameters;
  const listening = await foreignPorts(network.process.pid, parameters);
  return interceptEffect(parameters, { count, listening, former: interceptor.former });
}

/** Ports that processes of the pod listen on, but the interceptor's own. */
async function foreignPorts(pid: number, { service }: InterceptParameters): Promise<readonly number[]> {
  const own = service.kind === 'http' ? service.port : undefined;
  return (await listeningPorts(pid)).filter((port) => port !== own);
}

function doubts(
  { redirect, open, service }: InterceptParameters,
  declared: readonly DeclaredPorts[],
): readonly string[] {
  if (redirect.kind !== 'inbound') return [];
  const isAsked = service.kind === 'http' && service.fault.kind === 'reset';
  return [
    ...undeclaredPorts('TARGET_SERVICE_PORT', redirect.ports, declared).map(
      (doubt) => `may have no effect: ${doubt}`,
    ),
    ...(open.kind === 'reset' && !isAsked ? [RESETS] : []),
  ];
}

/** What a client may find that the settings do not ask for. */
const RESETS =
  'resets connections that are open when it begins, with their next data: a client may fail by that; OPEN_CONNECTIONS=keep leaves them alone';

async function revert(injection: Injection, context: FaultContext, running: Running): Promise<void> {
  await running.get(injection.id)?.stop();
  running.delete(injection.id);
  for (;;) {
    const network = await findTargetNetwork(injection);
    if (network === undefined) return assertTargetGone(injection, context);
    try {
      return await removeRedirection(network.process, tableOf(injection.id));
    } catch (error) {
      // That process has just ended; the pod may have another one.
      if (!(error instanceof ContainerRuntimeError)) throw error;
      context.signal.throwIfAborted();
    }
  }
}
