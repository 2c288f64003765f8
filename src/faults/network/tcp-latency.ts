import type { InjectionEffect } from '../../api/index.ts';
import { InjectError } from '../../experiment/injection/errors.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { NodeError } from '../../experiment/node/node-error.ts';
import { requireTools } from '../../experiment/node/tools.ts';
import type { InterceptorConfig } from '../intercept/config.ts';
import type { Interceptor, InterceptorUp } from '../intercept/interceptor.ts';
import type { OpenConnections } from '../intercept/rules.ts';
import { listeningPorts } from './listening.ts';
import type { PacketSelection, PortRange } from './packet-filter.ts';
import { assertOwnNetwork, type TargetNetwork } from './pod-network.ts';

/** Stands in for a netem delay where the kernel has none. */
interface TcpLatency {
  readonly device: string;
  readonly delayMs: number;
  readonly open: OpenConnections;
  readonly selection: PacketSelection;
}

/** Interceptors that this process has started, by injection. */
const running = new Map<string, { readonly interceptor: Interceptor; readonly config: InterceptorConfig }>();

/**
 * Checks that a proxy can do what the settings ask for.
 *
 * @throws NodeError naming what only netem can do
 */
export function assertProxyCan(selection: PacketSelection, jitterMs: number): void {
  const beyond = [
    ...(jitterMs > 0 ? ['JITTER'] : []),
    ...(selection.only.some(({ destination }) => destination !== undefined) ? ['DESTINATION_IPS'] : []),
    ...(selection.hosts.length > 0 ? ['DESTINATION_HOSTS'] : []),
    ...([...selection.only, ...selection.except].some(
      (one) => one.destination === undefined && one.destinationPort,
    )
      ? ['DESTINATION_PORTS']
      : []),
  ];
  if (beyond.length > 0) {
    throw new NodeError(
      `cannot inject pod-network-latency with ${beyond.join(', ')}: the kernel of this node has no netem queue (module ` +
        "sch_netem, CONFIG_NET_SCH_NETEM), and without it only what the pod's TCP servers send can be delayed, by SOURCE_PORTS",
    );
  }
  requireTools(['nft'], 'inject pod-network-latency without netem');
}

/**
 * Delays what the TCP servers of a pod send, by a proxy in front of each port that is listened on now, all of them in one process.
 *
 * That dies with this one, and what redirects to it expires by itself a few seconds later.
 *
 * @throws InjectError when no process listens on a port that is meant
 */
export async function delayServers(
  injectionId: string,
  network: TargetNetwork,
  { device, delayMs, open, selection }: TcpLatency,
  pod: string,
  note: FaultContext['note'],
  state?: InterceptorUp,
): Promise<void> {
  if (running.has(injectionId)) return;
  await assertOwnNetwork(network, pod);
  const ports = meantPorts(await listeningPorts(network.process.pid), selection);
  if (ports.length === 0) {
    throw new InjectError(`cannot delay ${pod}: none of its processes listens on a TCP port that is meant`);
  }
  const [{ Interceptor }, { tableOf }, { describeFormer }] = await Promise.all([
    import('../intercept/interceptor.ts'),
    import('../intercept/rules.ts'),
    import('../intercept/effect.ts'),
  ]);
  const config: InterceptorConfig = {
    table: tableOf(injectionId),
    redirect: { kind: 'inbound', device, ports },
    service: { kind: 'tcp', delay: { toServerMs: 0, toClientMs: delayMs } },
    open,
  };
  const warn = (message: string): void => note('Warning', pod, message);
  const interceptor = await Interceptor.start(network.process, config, warn, state);
  running.set(injectionId, { interceptor, config });
  const former = describeFormer(interceptor.former, config);
  if (former !== undefined) note('OpenConnections', pod, former);
}

/** The effect by the counts of an injection's proxies; undefined when this process has none for it, or one has died. */
export async function proxyEffect(
  injectionId: string,
  { process }: TargetNetwork,
  signal: AbortSignal,
): Promise<InjectionEffect | undefined> {
  const proxies = running.get(injectionId);
  const count = await proxies?.interceptor.count(signal);
  if (proxies === undefined || count === undefined) return undefined;
  const { interceptEffect } = await import('../intercept/effect.ts');
  const { former } = proxies.interceptor;
  return interceptEffect(proxies.config, { count, former, listening: await listeningPorts(process.pid) });
}

/** Ends the proxies of an injection, if this process has started them. Idempotent. */
export async function stopProxies(injectionId: string): Promise<void> {
  await running.get(injectionId)?.interceptor.stop();
  running.delete(injectionId);
}

/** Removes what redirects to the proxies of any helper; they end when their rules are gone. Idempotent. */
export async function removeRedirects(injectionId: string, { process }: TargetNetwork): Promise<void> {
  const [{ removeRedirection }, { tableOf }] = await Promise.all([
    import('../intercept/remove-redirection.ts'),
    import('../intercept/rules.ts'),
  ]);
  await removeRedirection(process, tableOf(injectionId));
}

/** Those of the ports that SOURCE_PORTS means. Pure. */
function meantPorts(ports: readonly number[], { only, except }: PacketSelection): readonly number[] {
  const isIn = (port: number, range: PortRange | undefined): boolean =>
    range !== undefined && port >= range.low && port <= range.high;
  return ports.filter(
    (port) =>
      !except.some(({ sourcePort }) => isIn(port, sourcePort)) &&
      (only.length === 0 || only.some(({ sourcePort }) => isIn(port, sourcePort))),
  );
}
