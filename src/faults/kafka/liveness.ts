/** A stream of messages through Kafka, by upstream's image of it: a topic of its own, a producer and a consumer in one pod. */

import type { Container, EnvVar, Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { PODS } from '@turnsole/kube/kinds/resources';
import { askUntil } from '../../experiment/injection/ask-until.ts';
import { StatusCheckError } from '../../experiment/injection/errors.ts';
import { type FaultContext, type Injection, parametersOf } from '../../experiment/injection/fault.ts';
import {
  awaitPod,
  companionMetadata,
  createCompanionPod,
  inherited,
  lastLines,
  ownPod,
  removePod,
  runOf,
  runSettings,
} from '../companion/companion.ts';
import { describeCommands, parseLeader } from './leader.ts';

/** Parameters of the stream. JSON. */
export interface StreamParameters extends Record<string, unknown> {
  readonly image: string;
  readonly pullPolicy: string;
  readonly topic: string;
  readonly service: string;
  readonly port: number;
  readonly instance: string;
  readonly replicationFactor: string;
  readonly consumerTimeoutMs: number;
  readonly zookeeper?: { readonly service: string; readonly port: number };
}

const CONSUMER = 'kafka-consumer';
const EXEC_LIMIT_MS = 60_000;

/** Creates the pod, and resolves when producer and consumer run. */
export async function startStream(injection: Injection, context: FaultContext): Promise<void> {
  const { name, namespace = '' } = injection.target;
  const own = await ownPod(context);
  const settings = runSettings(context);
  const from = inherited(own, settings);
  const place = { name, namespace, run: runOf(injection), app: 'kafka-liveness' };
  await createCompanionPod(
    {
      metadata: companionMetadata(place, own, settings),
      spec: {
        ...from.spec,
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        ...containersOf(parametersOf<StreamParameters>(injection)),
      },
    },
    context,
  );
  const pod = await awaitPod(place, (seen) => isStreaming(seen) || isFinished(seen), context);
  if (!isStreaming(pod)) throw await brokenStream(pod, 'did not begin', context);
}

function containersOf(parameters: StreamParameters): {
  initContainers: Container[];
  containers: Container[];
} {
  const { image, pullPolicy, topic, service, port, instance, replicationFactor, zookeeper } = parameters;
  const common = { TOPIC_NAME: topic, KAFKA_SERVICE: service, KAFKA_PORT: String(port) };
  const container = (
    name: string,
    script: string,
    values: Readonly<Record<string, string | undefined>>,
  ): Container => ({
    name,
    image,
    imagePullPolicy: pullPolicy,
    command: ['sh', '-c', script],
    env: Object.entries(values).flatMap(([variable, value]): EnvVar[] =>
      value === undefined || value === '' ? [] : [{ name: variable, value }],
    ),
  });
  return {
    initContainers: [
      container('kafka-topic-creator', './topic.sh', {
        ...common,
        KAFKA_INSTANCE_NAME: instance,
        REPLICATION_FACTOR: replicationFactor,
        ZOOKEEPER_SERVICE: zookeeper?.service,
        ZOOKEEPER_PORT: zookeeper === undefined ? undefined : String(zookeeper.port),
      }),
    ],
    containers: [
      container('kafka-producer', 'stdbuf -oL ./producer.sh', common),
      container(CONSUMER, 'stdbuf -oL ./consumer.sh', {
        ...common,
        KAFKA_CONSUMER_TIMEOUT: String(parameters.consumerTimeoutMs),
      }),
    ],
  };
}

/** Whether producer and consumer both run. Pure. */
export function isStreaming({ status }: Pod): boolean {
  const containers = status?.containerStatuses ?? [];
  return (
    status?.phase === 'Running' &&
    containers.length > 0 &&
    containers.every(({ state }) => state?.running !== undefined)
  );
}

/** @throws StatusCheckError when the stream has broken meanwhile, with the end of its log */
export async function checkStream(injection: Injection, context: FaultContext): Promise<void> {
  const { name, namespace = '' } = injection.target;
  const { client, signal } = context;
  const pod = await client.find<Pod>(PODS, name, { namespace, signal });
  if (pod === undefined) {
    throw new StatusCheckError(
      `the stream through Kafka cannot be judged: pod ${namespace}/${name} was deleted`,
    );
  }
  if (!isStreaming(pod)) throw await brokenStream(pod, 'broke during chaos', context);
}

async function brokenStream(pod: Pod, what: string, context: FaultContext): Promise<StatusCheckError> {
  const { name, namespace = '' } = pod.metadata;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const ended = [...initContainerStatuses, ...containerStatuses].find(
    ({ state }) => state?.terminated !== undefined && state.terminated.exitCode !== 0,
  );
  const where = ended?.name ?? CONSUMER;
  const code = ended?.state?.terminated?.exitCode;
  const how =
    code === undefined ? `its pod is ${pod.status?.phase}` : `${where} ended with exit code ${code}`;
  const said = await lastLines(name, namespace, where, context);
  return new StatusCheckError(
    `the stream through Kafka of pod ${namespace}/${name} ${what}: ${how}; its log ends with: ${said}`,
  );
}

/**
 * Id of the broker that leads the stream's topic, asked of the stream's own pod.
 *
 * @throws StatusCheckError when no leader shows in time, with the pod's last message
 */
export async function findLeader(injection: Injection, context: FaultContext): Promise<number> {
  const { client, clock, signal, recoveryTimeoutMs } = context;
  const { name, namespace = '' } = injection.target;
  const { topic, service, port, instance, zookeeper } = parametersOf<StreamParameters>(injection);
  const commands = describeCommands({
    topic,
    kafka: `${service}:${port}`,
    zookeeper: zookeeper === undefined ? undefined : `${zookeeper.service}:${zookeeper.port}`,
    instance,
  });
  let said = '';
  const leader = await askUntil({
    clock,
    signal,
    timeoutMs: recoveryTimeoutMs,
    ask: async () => {
      for (const command of commands) {
        const place = { namespace, name, container: CONSUMER, command };
        const { exitCode, stdout, stderr } = await client.exec({
          ...place,
          timeoutMs: EXEC_LIMIT_MS,
          signal,
        });
        const found = exitCode === 0 ? parseLeader(stdout) : undefined;
        if (found !== undefined) return found;
        said = `${command.join(' ')}: ${(stderr.trim() || stdout.trim()).split('\n').at(-1) || `exit code ${exitCode}`}`;
      }
      return undefined;
    },
  });
  if (leader !== undefined) return leader;
  throw new StatusCheckError(
    `cannot find the broker to delete: topic ${topic} has no leader after ${recoveryTimeoutMs / 1000} s (${said}); ` +
      'look at the brokers, set KAFKA_BROKER, or raise STATUS_CHECK_TIMEOUT',
  );
}

/** Takes the pod away. */
export async function removeStream({ target }: Injection, context: FaultContext): Promise<void> {
  await removePod(target.name, target.namespace ?? '', context);
}
