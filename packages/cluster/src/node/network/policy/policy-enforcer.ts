import {
  type KubeObject,
  type Namespace,
  type NetworkPolicy,
  objectKey,
  type Pod,
} from '@turnsole/kube/kinds/core';
import type { Clock, Informer } from '@turnsole/kube/runtime/index';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type Backend, type ServicePort, servicePorts } from '../backends.ts';
import { type Followed, type FollowedServices, followServices, knownServices } from '../followed-services.ts';
import { type NamedPort, type PolicyPod, podRules } from './pod-rules.ts';
import { NO_RULES, type PolicyPlaces, policyTable } from './policy-table.ts';
import { blockedPorts, mayTalkBy, type Reach } from './reach.ts';

/** Known as a whole before anything is decided by it. */
type Complete<T extends KubeObject> = Followed<T> & Pick<Informer<T>, 'whenSynced'>;

/** The parts of an enforcer. */
interface PolicyEnforcerOptions extends FollowedServices {
  readonly policies: Complete<NetworkPolicy>;
  readonly pods: Complete<Pod>;
  readonly namespaces: Complete<Namespace>;
  /** CIDR of the services' addresses. */
  readonly serviceCidr: string;
  /** Address of the host on the pods' bridge, from which it talks with them. */
  readonly gateway: string;
  /** Address of cluster DNS, which counts as a pod `k8s-app=kube-dns` in kube-system. */
  readonly dns: string;
  /** Puts rules into the network namespace of a process (runNft). */
  readonly apply: (table: string, pid: number) => Promise<void>;
  readonly clock: Clock;
  /** The rules of a pod cannot be put in force; tried again until they can. */
  readonly onProblem: (pod: Pod, message: string) => void;
  /** Called when it changes who may talk with whom. */
  readonly onChange: () => void;
}

/** A pod with a network namespace of its own. */
interface EnforcedPod {
  readonly pod: Pod;
  readonly address: string;
  /** A process in the namespace, for as long as it is known here. */
  readonly pid: number;
  readonly nodeAddress: string;
}

interface Enforced extends EnforcedPod {
  /** The rules that are in force. */
  table: string;
  reportedProblem: string | undefined;
}

const NO_PODS: Reach = { rules: new Map(), byAddress: new Map() };
/** Pods whose rules are changed at the same time. */
const LANES = 4;
const RETRY_MS = 1_000;

/**
 * Enforces NetworkPolicies: puts rules of nft into the pods' network namespaces. The proxy of services talks with backends in its own
 * name, so the enforcer also tells the proxy which backends each client may reach. Without policies it does nothing.
 *
 * Each change is followed at once, and changes of one moment together.
 */
export class PolicyEnforcer {
  readonly #options: PolicyEnforcerOptions;
  readonly #pods = new Map<string, Enforced>();
  readonly #unsubscribe: (() => void)[];
  #reach: Reach = NO_PODS;
  #scheduled: Promise<void> | undefined;
  #work: Promise<void> = Promise.resolve();
  #cancelRetry: (() => void) | undefined;
  /** Whether rules of some pod are not as they should be. */
  #hasFailed = false;
  #closed = false;

  constructor(options: PolicyEnforcerOptions) {
    this.#options = options;
    const follow = (): void => void this.#schedule();
    const handler = { onAdd: follow, onUpdate: follow, onDelete: follow };
    this.#unsubscribe = [
      options.policies.addHandler(handler),
      options.pods.addHandler(handler),
      options.namespaces.addHandler(handler),
      followServices(options, follow),
    ];
  }

  /** Takes a pod on; resolves when its rules are in force, so that its containers can start. Never rejects. */
  async add(enforced: EnforcedPod): Promise<void> {
    this.#pods.set(enforced.pod.metadata.uid ?? '', {
      ...enforced,
      table: NO_RULES,
      reportedProblem: undefined,
    });
    const { policies, pods, namespaces } = this.#options;
    // After a restart with a data folder, policies may be older than the local copies here.
    await Promise.all([policies, pods, namespaces].map((informer) => informer.whenSynced())).catch(() => {});
    await this.#schedule();
  }

  /** Lets go of a pod; resolves when nothing touches its namespace any more. */
  async delete(uid: string): Promise<void> {
    if (!this.#pods.delete(uid)) return;
    await this.#work;
    // Other pods were allowed to talk with its address, which another pod will get.
    void this.#schedule();
  }

  /** Whether the pod of this address may talk with a backend of a service. */
  mayTalk(client: string, service: ServicePort, backend: Backend): boolean {
    return mayTalkBy(this.#reach, client, service, backend);
  }

  /** Resolves when every change seen so far is in force; for tests. */
  async settled(): Promise<void> {
    await this.#scheduled;
    await this.#work;
  }

  /** Follows nothing any more; rules stay with their pods. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#cancelRetry?.();
    await this.#work;
  }

  #schedule(): Promise<void> {
    const isIdle = this.#options.policies.lister.size === 0 && this.#reach === NO_PODS;
    if (this.#closed || (isIdle && !this.#hasFailed)) return Promise.resolve();
    this.#scheduled ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#scheduled = undefined;
        this.#work = this.#work.then(() => this.#follow());
        void this.#work.then(resolve);
      });
    });
    return this.#scheduled;
  }

  async #follow(): Promise<void> {
    if (this.#closed) return;
    this.#hasFailed = false;
    this.#reach = this.#observe();
    this.#options.onChange();
    const services = this.#servicePorts();
    const queue = [...this.#pods].flatMap(([uid, pod]) => {
      const table = this.#tableOf(uid, pod, services);
      return table === pod.table ? [] : [{ uid, pod, table }];
    });
    const lane = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (this.#pods.get(next.uid) === next.pod) await this.#apply(next.pod, next.table);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  #tableOf(uid: string, pod: Enforced, services: readonly ServicePort[]): string {
    const { serviceCidr, gateway, dns } = this.#options;
    const places: PolicyPlaces = { serviceCidr, dns, node: [gateway, pod.nodeAddress] };
    const rules = this.#reach.rules.get(uid) ?? { ingress: undefined, egress: undefined };
    return policyTable(rules, blockedPorts(this.#reach, pod.address, services), places);
  }

  async #apply(enforced: Enforced, table: string): Promise<void> {
    try {
      await this.#options.apply(table, enforced.pid);
      enforced.table = table;
      enforced.reportedProblem = undefined;
    } catch (error) {
      const message = messageOf(error);
      if (enforced.reportedProblem !== message) this.#options.onProblem(enforced.pod, message);
      enforced.reportedProblem = message;
      this.#hasFailed = true;
      this.#cancelRetry?.();
      this.#cancelRetry = this.#options.clock.setTimer(RETRY_MS, () => void this.#schedule());
    }
  }

  #observe(): Reach {
    const { policies, pods, namespaces, dns } = this.#options;
    const all = policies.lister.list();
    if (all.length === 0) return NO_PODS;
    const known = [...this.#pods].map(([uid, { pod, address }]): PolicyPod => {
      const current = pods.lister.get(objectKey(pod));
      return policyPod(current?.metadata.uid === uid ? current : pod, address);
    });
    const peers = [...known, clusterDns(dns)];
    return {
      rules: podRules({
        policies: all,
        pods: peers,
        namespaces: new Map(
          namespaces.lister.list().map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
        ),
      }),
      byAddress: new Map(peers.map((pod) => [pod.address, pod])),
    };
  }

  #servicePorts(): ServicePort[] {
    if (this.#reach === NO_PODS) return [];
    return knownServices(this.#options).flatMap((named) => servicePorts(named.service, named.endpoints));
  }
}

function policyPod({ metadata, spec }: Pod, address: string): PolicyPod {
  const ports = (spec?.containers ?? []).flatMap((container) =>
    (container.ports ?? []).flatMap(({ name, protocol = 'TCP', containerPort }): NamedPort[] =>
      name === undefined ? [] : [{ name, protocol: protocol as NamedPort['protocol'], port: containerPort }],
    ),
  );
  const { uid = '', namespace = '', labels = {} } = metadata;
  return { uid, namespace, labels, address, ports };
}

/** Policies open the way to cluster DNS by the labels of its pods, which it has none of here. */
function clusterDns(address: string): PolicyPod {
  return {
    uid: 'cluster-dns',
    namespace: 'kube-system',
    labels: { 'k8s-app': 'kube-dns' },
    address,
    ports: [
      { name: 'dns', protocol: 'UDP', port: 53 },
      { name: 'dns-tcp', protocol: 'TCP', port: 53 },
    ],
  };
}
