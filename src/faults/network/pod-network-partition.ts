import { createHash } from 'node:crypto';
import { isAlreadyExists, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers } from '@turnsole/kube/kinds/lasting-containers';
import { NETWORK_POLICIES, PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import { LABEL_RUN_ID } from '../../api/index.ts';
import { InjectError } from '../../experiment/injection/errors.ts';
import {
  type Fault,
  type FaultContext,
  type Injection,
  type Observed,
  type PlanInput,
  parametersOf,
} from '../../experiment/injection/fault.ts';
import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import { COMMON_TUNABLES, chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { choice, list, text } from '../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { runOf } from '../companion/companion.ts';
import { addressesOf } from './addresses.ts';
import { lastingLabels, type PartitionRule, parsePartition, partitionSpec } from './network-policy.ts';
import { openPorts } from './open-ports.ts';
import { type HostFilter, isAddress } from './packet-filter.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long the pods are cut off.'),
  PODS_AFFECTED_PERC: {
    ...COMMON_TUNABLES.PODS_AFFECTED_PERC,
    default: 100,
    description:
      'Share of the matching pods; a policy selects by labels, so that all pods with theirs are cut off.',
  },
  POLICY_TYPES: choice({ choices: ['all', 'ingress', 'egress'], default: 'all' }, 'Which direction is cut.'),
  DESTINATION_IPS: list(
    {},
    'Addresses and CIDRs (IPv4 and IPv6) that are cut off; without them, everything is.',
  ),
  DESTINATION_HOSTS: list({}, 'Names that stand for such addresses.'),
  POD_SELECTOR: text('Labels of pods that stay reachable: key=value,key=value.'),
  NAMESPACE_SELECTOR: text('Labels of namespaces that stay reachable.'),
  PORTS: text('Ports that stay open: tcp: [80,443], udp: [53].'),
} as const satisfies TunableSchema;

/** What inject needs; made by `plan`. */
interface Parameters {
  readonly podLabels: Readonly<Record<string, string>>;
  readonly rule: PartitionRule;
  readonly addresses: readonly string[];
  readonly hosts: readonly HostFilter[];
  /** Address of the pod. */
  readonly address?: string;
  /** TCP ports of it that answered this process before. */
  readonly open: readonly number[];
}

/**
 * Cuts pods off by a NetworkPolicy, which the cluster's network has to enforce.
 *
 * What is touched: one policy is created per set of labels that the target pods have; all pods with these labels are cut off,
 * also those created meanwhile. How it is undone: the policy is deleted, by a name that follows from the run. What remains
 * if the experiment dies: the policy, until recovery.
 */
export const podNetworkPartition: Fault<typeof tunables> = {
  name: 'pod-network-partition',
  summary: 'Cuts pods of an application off by a NetworkPolicy.',
  tunables,
  validate,
  targets: 'pods',
  shape: 'sustained',
  where: 'api',
  permissions: [
    {
      apiGroups: ['networking.k8s.io'],
      resources: ['networkpolicies'],
      verbs: ['create', 'delete', 'list', 'get'],
    },
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  ],
  needs: { networkPolicies: true },
  observe,
  plan,
  inject,
  effect,
  revert,
};

export default podNetworkPartition;

async function observe(target: InjectionTarget, { client, signal }: FaultContext): Promise<Observed> {
  const pod = await client.get<Pod>(PODS, target.name, { namespace: target.namespace, signal });
  const address = pod.status?.podIP;
  const ports = lastingContainers(pod.spec).flatMap(({ ports: declared = [] }) =>
    declared.flatMap(({ containerPort, protocol = 'TCP' }) => (protocol === 'TCP' ? [containerPort] : [])),
  );
  const open = address === undefined ? [] : await openPorts(address, ports, signal);
  return { uid: pod.metadata.uid, labels: pod.metadata.labels ?? {}, address, open };
}

function validate(settings: Tunables<typeof tunables>): TunableProblem[] {
  const wrong = settings.DESTINATION_IPS.filter((address) => !isAddress(address));
  return [
    ...parsePartition(settings).problems,
    ...wrong.map((found) => ({ variable: 'DESTINATION_IPS', found, expected: 'an address or CIDR' })),
  ];
}

function plan({ tunables: settings, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  const { rule } = parsePartition(settings);
  const hosts = settings.DESTINATION_HOSTS.map((host) => ({ host, ports: [] }));
  return targets.map(({ observed = {}, ...target }) => {
    // Read by `observe`, which gives a map of texts.
    const podLabels = lastingLabels((observed.labels ?? {}) as Record<string, string>);
    const pod = `pod ${target.namespace}/${target.name}`;
    if (Object.keys(podLabels).length === 0) {
      throw new InjectError(
        `cannot cut off ${pod}: it has no labels that a NetworkPolicy could select it by; label it`,
      );
    }
    const parameters: Parameters = {
      podLabels,
      rule,
      addresses: settings.DESTINATION_IPS,
      hosts,
      // Read by `observe`.
      ...(typeof observed.address === 'string' ? { address: observed.address } : {}),
      open: (observed.open ?? []) as readonly number[],
    };
    return { id: `${target.namespace}.${target.name}`, target, parameters: { ...parameters } };
  });
}

async function inject(injection: Injection, context: FaultContext): Promise<void> {
  const { client, signal, note } = context;
  const { target } = injection;
  const { podLabels, rule, hosts, addresses } = parametersOf<Parameters>(injection);
  const found = await addressesOf(hosts, { mesh: false, context, object: objectOf(target) });
  const cutOff = [...addresses, ...found.map(({ destination = '' }) => destination)];
  const name = policyName(injection);
  // A network cannot be asked whether it enforces policies; the embedded cluster reports when it does not.
  let effect = 'takes effect if the network of this cluster enforces NetworkPolicies';
  const onWarning = (text: string): void => {
    effect = text;
  };
  try {
    await client.create<KubeObject & { spec: object }>(
      NETWORK_POLICIES,
      {
        metadata: {
          name,
          labels: {
            name: 'pod-network-partition',
            'app.kubernetes.io/part-of': 'litmus',
            [LABEL_RUN_ID]: runOf(injection),
          },
        },
        spec: partitionSpec(podLabels, rule, cutOff),
      },
      { namespace: target.namespace ?? '', signal, onWarning, repeatable: true },
    );
    note('PolicyCreated', `networkpolicy/${target.namespace}/${name}`, effect);
  } catch (error) {
    // Several targets with the same labels share their policy.
    if (!isAlreadyExists(error)) throw error;
  }
}

/**
 * Ports that answered this process before and answer no more. One that still does says nothing: this process may be on the network of
 * the node, which policies do not keep from its pods.
 */
async function effect(
  { parameters }: Injection,
  { signal }: FaultContext,
): Promise<InjectionEffect | undefined> {
  // The ledger keeps what `plan` of this file has made.
  const { address, open } = parameters as unknown as Parameters;
  if (address === undefined || open.length === 0) return undefined;
  const still = await openPorts(address, open, signal);
  const closed = open.filter((port) => !still.includes(port));
  if (closed.length === 0) return undefined;
  return { seen: true, message: `port ${closed.join(', ')} answered before the cut, and does not now` };
}

async function revert(injection: Injection, { client, signal }: FaultContext): Promise<void> {
  const { namespace = '' } = injection.target;
  // Never created, deleted for another target with the same labels, or gone with its namespace.
  await unless(
    isNotFound,
    client.delete(NETWORK_POLICIES, policyName(injection), { namespace, signal, repeatable: true }),
  );
}

/** Follows from run, namespace and labels, so that the component that reverts finds it and targets with the same labels share it. Pure. */
function policyName(injection: Injection): string {
  const { podLabels } = parametersOf<Parameters>(injection);
  const labels = Object.entries(podLabels).sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(
    JSON.stringify([runOf(injection), injection.target.namespace, labels]),
  );
  return `pod-network-partition-np-${hash.digest('hex').slice(0, 10)}`;
}
