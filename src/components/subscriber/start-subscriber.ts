import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { createControlPlaneClient } from '../../agent-link/client.ts';
import type { InfraIdentity } from '../../agent-link/settings.ts';
import type { AddressOf } from '../../experiment/probes/reachable.ts';
import type { Spool } from '../../spool/spool.ts';
import { AccessKey, type AgentKey } from './access-key.ts';
import { namespacesOfRuns, refusalOfNamespace } from './commands/allowed.ts';
import { commandsOf } from './commands/commands.ts';
import { Dispatcher } from './commands/dispatcher.ts';
import { metricsRequest } from './commands/metrics-request.ts';
import { newKeyRequest } from './commands/new-key-request.ts';
import type { OwnRequests } from './commands/own-requests.ts';
import { type PlanManifest, planRequest } from './commands/plan-request.ts';
import { probeRequest } from './commands/probe-request.ts';
import { runPods } from './commands/run-pods.ts';
import { awaitComponents } from './components-check.ts';
import { Delivery } from './delivery/deliver.ts';
import { RunEvents } from './events/run-events.ts';
import { ControlPlaneLink } from './link/link.ts';
import type { SubscriberMetrics } from './metrics.ts';
import { openSpool } from './open-spool.ts';
import { RunLogs } from './records/run-logs.ts';
import { RunRecords } from './records/run-records.ts';
import type { SubscriberSettings } from './settings.ts';

/** What the work of the active subscriber needs. */
interface SubscriberOptions extends Basics {
  readonly settings: SubscriberSettings;
  readonly metrics: SubscriberMetrics;
  /** @default this program cannot plan, and answers so to servers */
  readonly planManifest?: PlanManifest | undefined;
  /** @default that of the Secret, which the server confirms */
  readonly key?: AgentKey;
  /** The addresses of services, for an agent that is in no pod. @default names are those of its pod */
  readonly addressOf?: AddressOf;
  /** A label that objects of manifests do not get. @default they get all of theirs */
  readonly leftOutLabel?: string | undefined;
}

/** How long actions that change something may take at the end. */
const CHANGES_MS = 5_000;
/** How long events may take to go out at the end. What stays is in the spool. */
const FLUSH_MS = 10_000;

/** The active one of the subscribers of an infrastructure. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  #problem: string | undefined = 'it is starting';
  #hasAwaitedComponents = false;
  #spool: Spool | undefined;
  /** Called after each delivery: at the end, the subscriber waits for the answers to deliveries under way. */
  #onVerdict = (): void => {};
  #link: ControlPlaneLink | undefined;
  #events: RunEvents | undefined;
  #records: RunRecords | undefined;
  #logs: RunLogs | undefined;
  #delivery: Delivery | undefined;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  get spool(): Spool | undefined {
    return this.#spool;
  }

  /** Throws what keeps the infrastructure from being connected. */
  checkReady(): void {
    if (this.#problem !== undefined) throw new Error(this.#problem);
    this.#events?.checkReady();
    const state = this.#link?.state;
    if (state?.state === 'waiting' || state?.state === 'refused') throw new Error(state.why);
    if (state?.state !== 'live') throw new Error('the control plane is not connected yet');
    if (this.#delivery?.problem !== undefined) throw new Error(this.#delivery.problem);
  }

  /** Registers, then works until the signal aborts; then known events go out, or stay in the spool. */
  async run(signal: AbortSignal): Promise<void> {
    const { address, infraID, version } = this.#options.settings;
    const server = createControlPlaneClient(address);
    try {
      const key = this.#options.key ?? this.#accessKey(server);
      await key.register(signal);
      this.#problem = undefined;
      await this.#work(server, key, () => ({ infraID, version, accessKey: key.value }), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      server.close();
    }
  }

  #accessKey(server: ReturnType<typeof createControlPlaneClient>): AccessKey {
    const { namespace, infraID, version, accessKey } = this.#options.settings;
    return new AccessKey({
      ...this.#options,
      server,
      namespace,
      identity: { infraID, version, accessKey },
      random: Math.random,
      beforeConfirming: (signal) => this.#awaitComponents(signal),
      onProblem: (why) => {
        this.#problem = why;
      },
    });
  }

  /** Waits once: a later call returns at once. */
  async #awaitComponents(signal: AbortSignal): Promise<void> {
    const { settings, client, clock, logger } = this.#options;
    if (this.#hasAwaitedComponents) return;
    // Also asked for a new key, while the link reports its own problem.
    const isStarting = this.#link === undefined;
    if (isStarting) this.#problem = 'it waits for the components of the infrastructure';
    const missing = await awaitComponents(client, settings.namespace, settings.components, clock, signal);
    this.#hasAwaitedComponents = true;
    for (const problem of missing) logger.error({ detail: problem }, 'a component does not run');
    if (isStarting) this.#problem = 'the infrastructure is not confirmed yet';
  }

  async #work(
    server: ReturnType<typeof createControlPlaneClient>,
    key: AgentKey,
    identity: () => InfraIdentity,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, logger, metrics } = this.#options;
    const monotonic = (): number => performance.now();
    const spool = await this.#openSpool();
    const events = this.#startEvents(spool);
    const records = this.#startRecords(spool, events);
    const logs = this.#startLogs(spool, events);
    const delivery = new Delivery({
      spool,
      client: server,
      identity,
      clock,
      random: Math.random,
      monotonic,
      logger,
      onVerdict: (verdict) => {
        metrics.event(verdict);
        this.#onVerdict();
      },
      onRecord: (body, outcome) => records.answered(body, outcome),
      onAgentRefused: () => void key.renew(signal),
    });
    this.#delivery = delivery;
    const [looking, changing] = [new AbortController(), new AbortController()];
    const own = this.#ownRequests(key);
    const dispatcher = this.#dispatcher(server, identity, events, own, {
      signal: looking.signal,
      changeSignal: changing.signal,
    });
    const link = new ControlPlaneLink({
      address: this.#options.settings.address,
      identity,
      clock,
      random: Math.random,
      monotonic,
      logger,
      answers: Object.keys(own),
      onAction: (action, offers) => dispatcher.dispatch(action, offers),
      onState: ({ state }, offers) => {
        metrics.connected(state === 'live');
        if (state === 'live' && offers.runRecords) records.start();
        if (state === 'live' && offers.runLogs) logs.start();
        if (state === 'refused') void key.renew(signal);
      },
    });
    this.#link = link;
    const delivering = new AbortController();
    link.start();
    // Present states are stored first: they replace those that an earlier leader has left in this spool.
    const delivered = events.start(signal).then(
      () => delivery.run(delivering.signal),
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      await Promise.race([delivered, stopped]);
    } finally {
      link.stop();
      looking.abort(new Error('the subscriber is ending'));
      const cancel = clock.setTimer(CHANGES_MS, () => changing.abort(looking.signal.reason));
      await dispatcher.idle();
      cancel();
      await events.stop();
      await records.stop();
      await logs.stop();
      await this.#flush(delivery);
      delivering.abort();
      try {
        await delivered;
      } finally {
        await spool.close();
        this.#spool = undefined;
      }
    }
  }

  /** Waits until what can be delivered has gone out, for a while. */
  async #flush(delivery: Delivery): Promise<void> {
    if (!delivery.isBusy) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.setTimer(FLUSH_MS, resolve);
    this.#onVerdict = () => {
      if (!delivery.isBusy) resolve();
    };
    await promise;
    cancel();
  }

  async #openSpool(): Promise<Spool> {
    const { settings, logger, metrics } = this.#options;
    this.#spool = await openSpool({
      settings,
      logger,
      metrics,
      onDropped: (key) => this.#records?.dropped(key) === true,
    });
    return this.#spool;
  }

  #startEvents(spool: Spool): RunEvents {
    const { settings } = this.#options;
    this.#events = new RunEvents({
      ...this.#options,
      infraID: settings.infraID,
      namespace: settings.isClusterScoped ? undefined : settings.namespace,
      startTime: settings.startTime,
      spool,
      onEngine: (engine) => {
        this.#records?.engineChanged(engine);
        this.#logs?.engineChanged(engine);
      },
    });
    return this.#events;
  }

  #startRecords(spool: Spool, events: RunEvents): RunRecords {
    const { settings } = this.#options;
    this.#records = new RunRecords({
      ...this.#options,
      infraID: settings.infraID,
      namespace: settings.isClusterScoped ? undefined : settings.namespace,
      engines: () => events.engines(),
      spool,
    });
    return this.#records;
  }

  #startLogs(spool: Spool, events: RunEvents): RunLogs {
    const { settings, metrics } = this.#options;
    this.#logs = new RunLogs({
      ...this.#options,
      infraID: settings.infraID,
      // Elsewhere an agent of the whole cluster lists pods, and may neither watch them nor read their logs.
      namespaces: settings.isClusterScoped ? namespacesOfRuns(settings.allowed) : [settings.namespace],
      engines: () => events.engines(),
      isRun: (uid) => events.workflow(uid) !== undefined,
      spool,
      onLost: () => metrics.lost('log'),
    });
    return this.#logs;
  }

  #refusalOf(place: string): string | undefined {
    return refusalOfNamespace(place, this.#options.settings.allowed);
  }

  /** By type: the requests that we answer beyond those of ChaosCenter's server. */
  #ownRequests(key: AgentKey): OwnRequests {
    const { client, clock, settings, planManifest, addressOf } = this.#options;
    const { namespace, isClusterScoped, allowedProbes: allowed } = settings;
    const looksAt = (place: string): string | undefined =>
      isClusterScoped || place === namespace
        ? undefined
        : `the scope of this infrastructure is namespace ${namespace}; say so in the probe`;
    return {
      run_pods: runPods({ client, refusalOf: (place) => this.#refusalOf(place) }),
      try_probe: probeRequest({ client, clock, allowed, refusalOf: looksAt, addressOf }),
      run_metrics: metricsRequest({ clock, allowed }),
      new_key: newKeyRequest(key),
      ...(planManifest !== undefined && { plan: planRequest({ client, namespace, planManifest }) }),
    };
  }

  #dispatcher(
    server: ReturnType<typeof createControlPlaneClient>,
    identity: () => InfraIdentity,
    events: RunEvents,
    own: OwnRequests,
    signals: Pick<ConstructorParameters<typeof Dispatcher>[0], 'signal' | 'changeSignal'>,
  ): Dispatcher {
    const { settings, client, clock, logger, metrics, leftOutLabel } = this.#options;
    const { namespace, allowed, isClusterScoped, logBytes } = settings;
    const refusalOf = (place: string): string | undefined => this.#refusalOf(place);
    const commands = commandsOf({
      manifests: { client, kinds: new KindResolver(client), allowed, leftOutLabel },
      runs: { client, namespace, refusalOf, workflow: (uid) => events.workflow(uid) },
      listings: { client, server, identity, namespace, isClusterScoped },
      logs: { client, server, identity, refusalOf, limitBytes: logBytes },
      halts: { client, clock, namespace, isClusterScoped },
      replies: { server, identity },
      own,
    });
    return new Dispatcher({
      commands,
      server,
      identity,
      logger,
      ...signals,
      onOutcome: (type, { isDone }) =>
        metrics.action(Object.hasOwn(commands, type) ? type : 'unknown', isDone),
    });
  }
}
