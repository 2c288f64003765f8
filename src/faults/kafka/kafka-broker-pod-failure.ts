import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { SettingsError, TargetSelectionError } from '../../experiment/injection/errors.ts';
import type { ApiPulse, FaultContext, HealthInput, Injection } from '../../experiment/injection/fault.ts';
import type { CommonTunables } from '../../experiment/injection/settings/common-tunables.ts';
import { choice, integer, patterned, port, text } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { awaitHealthy } from '../../experiment/targets/health/check-health.ts';
import { shortId } from '../companion/companion.ts';
import podDelete from '../pod/pod-delete.ts';
import { brokerPod } from './leader.ts';
import { checkStream, findLeader, removeStream, type StreamParameters, startStream } from './liveness.ts';

const tunables = {
  ...podDelete.tunables,
  TOTAL_CHAOS_DURATION: { ...podDelete.tunables.TOTAL_CHAOS_DURATION, default: 60 },
  FORCE: { ...podDelete.tunables.FORCE, default: true },
  KAFKA_NAMESPACE: text('Namespace of the brokers.', 'default'),
  KAFKA_LABEL: text('Label of the brokers.'),
  KAFKA_KIND: text('Kind of workload that owns the brokers.', 'statefulset'),
  KAFKA_BROKER: text('Pod of the broker to delete; default: the one that leads the topic of the stream.'),
  KAFKA_INSTANCE_NAME: text('Path of the cluster in ZooKeeper.'),
  KAFKA_SERVICE: text('Service of the brokers; needed for the stream.'),
  KAFKA_PORT: port(9092, 'Port of that service.'),
  KAFKA_REPLICATION_FACTOR: patterned(
    { pattern: '[1-9][0-9]{0,2}', form: 'a whole number from 1 to 999' },
    "Replicas of the stream's topic; needed for the stream.",
  ),
  KAFKA_LIVENESS_STREAM: choice(
    { choices: ['enable', 'disable'], default: 'enable' },
    'Whether messages go through Kafka all the time, whose consumer must not fail.',
  ),
  KAFKA_LIVENESS_IMAGE: text('Image of producer and consumer.', 'litmuschaos/kafka-client:latest'),
  KAFKA_CONSUMER_TIMEOUT: integer(
    { default: 60_000, minimum: 1, maximum: 86_400_000, unit: 'milliseconds' },
    'How long the consumer may be without a message.',
  ),
  ZOOKEEPER_NAMESPACE: text('Namespace of ZooKeeper; default: that of the brokers.'),
  ZOOKEEPER_LABEL: text('Label of ZooKeeper; its pods are checked where it is given.'),
  ZOOKEEPER_SERVICE: text('Service of ZooKeeper, of clusters that have one.'),
  ZOOKEEPER_PORT: port(2181, 'Port of that service.'),
} as const satisfies TunableSchema;

type Settings = Tunables<typeof tunables>;

/**
 * Deletes broker pods of a Kafka cluster, round after round, while messages go through it.
 *
 * What is touched: the chosen pods, as by pod-delete; the stream is a pod of its own with a topic of its own. How it is undone:
 * the stateful set recreates the brokers; the stream's pod is deleted by its name, and its topic stays, as upstream. What remains
 * if this process dies: the stream, until recovery.
 */
const kafkaBrokerPodFailure: ApiPulse<typeof tunables> = {
  ...podDelete,
  name: 'kafka-broker-pod-failure',
  summary: 'Deletes broker pods of a Kafka cluster, repeatedly, while messages go through it.',
  tunables,
  permissions: [
    ...podDelete.permissions,
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'create'] },
    { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ],
  dependencies: ({ KAFKA_LIVENESS_STREAM, KAFKA_LIVENESS_IMAGE }) =>
    KAFKA_LIVENESS_STREAM === 'disable'
      ? []
      : [{ kind: 'Image', name: KAFKA_LIVENESS_IMAGE, setting: 'KAFKA_LIVENESS_IMAGE' }],
  health: { check: checkClusters },
  witness: { plan: planStream, start: startStream, check: checkStream },
  chooseTargets,
  revert: removeStream,
};

export default kafkaBrokerPodFailure;

function planStream(settings: Settings, runId: string): Injection | undefined {
  if (settings.KAFKA_LIVENESS_STREAM === 'disable') return undefined;
  const missing = (['KAFKA_SERVICE', 'KAFKA_REPLICATION_FACTOR'] as const).filter(
    (name) => settings[name] === '',
  );
  if (missing.length > 0) {
    throw new SettingsError(
      `cannot run the stream of kafka-broker-pod-failure: set ${missing.join(' and ')}, or KAFKA_LIVENESS_STREAM to disable`,
    );
  }
  // Every run has the common settings too.
  const { LIB_IMAGE_PULL_POLICY } = settings as Tunables<Pick<CommonTunables, 'LIB_IMAGE_PULL_POLICY'>> &
    Settings;
  const { ZOOKEEPER_SERVICE: zookeeper } = settings;
  const parameters: StreamParameters = {
    image: settings.KAFKA_LIVENESS_IMAGE,
    pullPolicy: LIB_IMAGE_PULL_POLICY,
    topic: `topic-${shortId(runId)}`,
    service: settings.KAFKA_SERVICE,
    port: settings.KAFKA_PORT,
    instance: settings.KAFKA_INSTANCE_NAME,
    replicationFactor: settings.KAFKA_REPLICATION_FACTOR,
    consumerTimeoutMs: settings.KAFKA_CONSUMER_TIMEOUT,
    ...(zookeeper === '' ? {} : { zookeeper: { service: zookeeper, port: settings.ZOOKEEPER_PORT } }),
  };
  const target = {
    kind: 'pod',
    namespace: settings.KAFKA_NAMESPACE,
    name: `kafka-liveness-${shortId(runId)}`,
  };
  return { id: 'liveness', target, parameters };
}

/** The named broker, else the leader of the stream's topic, else the brokers by their label where TARGETS says nothing. */
async function chooseTargets(
  settings: Settings,
  context: FaultContext,
  witness: Injection | undefined,
): Promise<string | undefined> {
  const { KAFKA_BROKER, KAFKA_NAMESPACE, KAFKA_LABEL, KAFKA_KIND } = settings;
  if (KAFKA_BROKER !== '') return `pod:${KAFKA_NAMESPACE}:[${KAFKA_BROKER}]`;
  if (witness !== undefined) {
    return `pod:${KAFKA_NAMESPACE}:[${await leaderPod(KAFKA_NAMESPACE, KAFKA_LABEL, witness, context)}]`;
  }
  if (context.tunables?.TARGETS !== '' || KAFKA_LABEL === '') return undefined;
  return `${KAFKA_KIND}:${KAFKA_NAMESPACE}:[${KAFKA_LABEL}]`;
}

async function leaderPod(
  namespace: string,
  label: string,
  witness: Injection,
  context: FaultContext,
): Promise<string> {
  const { client, signal } = context;
  const id = await findLeader(witness, context);
  const { items } = await client.list<Pod>(PODS, {
    namespace,
    signal,
    ...(label === '' ? {} : { labelSelector: label }),
  });
  const names = items.map(({ metadata }) => metadata.name);
  const name = brokerPod(names, id);
  if (name !== undefined) return name;
  throw new TargetSelectionError(
    `broker ${id} leads the topic of the stream, but no pod in namespace ${namespace} with label ${label || '(any)'} ends with ` +
      `-${id} (there are ${names.join(', ') || 'none'}); set KAFKA_BROKER to its pod`,
  );
}

/** Pods of Kafka and ZooKeeper, where their labels are known. */
async function checkClusters(
  { tunables: found }: HealthInput,
  { client, clock, signal, recoveryTimeoutMs }: FaultContext,
): Promise<string | undefined> {
  // These are the settings of this fault.
  const settings = found as unknown as Settings;
  const { KAFKA_NAMESPACE, KAFKA_LABEL, ZOOKEEPER_LABEL } = settings;
  const zookeeper = settings.ZOOKEEPER_NAMESPACE === '' ? KAFKA_NAMESPACE : settings.ZOOKEEPER_NAMESPACE;
  const applications = [
    ...(KAFKA_LABEL === '' ? [] : [`${KAFKA_NAMESPACE}:${KAFKA_LABEL}`]),
    ...(ZOOKEEPER_LABEL === '' ? [] : [`${zookeeper}:${ZOOKEEPER_LABEL}`]),
  ];
  if (applications.length === 0) return undefined;
  const auxiliary = applications.join(',');
  await awaitHealthy({ client, clock, signal, timeoutMs: recoveryTimeoutMs, entries: [], auxiliary });
  return `the pods of ${applications.join(' and ')} are healthy`;
}
