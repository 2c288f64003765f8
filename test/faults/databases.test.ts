/** Faults of clusters that keep data, against stand-ins that really answer, and whose clients notice when nobody does. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import type { ChaosResult } from '../../src/api/index.ts';
import { clusterSettings } from '../cluster/support/settings.ts';
import { FaultCluster, isReady, LIMIT_MS, standInsImpossible } from './support/fault-cluster.ts';
import { databaseServer, STAND_INS, standInSetting } from './support/stand-ins.ts';

type Database = 'cassandra' | 'kafka';

/** A stateful set of line servers with a headless service of its name, and one for clients. */
function statefulSet(
  name: Database,
  replicas: number,
  port: number,
  env: Record<string, string> = {},
): string {
  const variables = Object.entries({ PORT: String(port), ...env });
  const container = {
    name,
    ...databaseServer(name),
    env: variables.map(([variable, value]) => ({ name: variable, value })),
    ports: [{ containerPort: port }],
    readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
  };
  return `
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { clusterIP: None, publishNotReadyAddresses: true, selector: { app: ${name} }, ports: [{ port: ${port} }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name}-clients }
spec: { selector: { app: ${name} }, ports: [{ port: ${port} }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  serviceName: ${name}
  replicas: ${replicas}
  podManagementPolicy: Parallel
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [${JSON.stringify(container)}]
`;
}

/** A pod that was deleted is back sooner than a wait fails. */
const RECOVERY_SECONDS = clusterSettings() === undefined ? 20 : 80;

describe('databases', { skip: standInsImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start(1, STAND_INS);
  });
  after(() => cluster?.close());

  async function scene(name: Database, replicas: number, port: number, env: Record<string, string> = {}) {
    const namespace = await cluster.namespace();
    await cluster.apply(namespace, statefulSet(name, replicas, port, env));
    const ready = (): Promise<readonly Pod[]> =>
      cluster.podsOf(namespace, name, (pods) => pods.length === replicas && pods.every(isReady));
    /** uids by name. */
    const uids = async () => new Map((await ready()).map(({ metadata }) => [metadata.name, metadata.uid]));
    /** Resolves when nothing of the run's own is left; what was deleted takes a moment to end. */
    const nothingLeft = async (): Promise<void> => {
      const isOwn = ({ metadata }: KubeObject): boolean => metadata.name.includes('liveness');
      const limit = { namespace, timeoutMs: 2 * LIMIT_MS };
      for (const kind of [DEPLOYMENTS, SERVICES, PODS]) {
        await waitForList<KubeObject>(cluster.client, kind, (items) => !items.some(isOwn), limit);
      }
    };
    return { namespace, uids, nothingLeft };
  }

  function verdictOf({ status }: ChaosResult): string {
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    return `${verdict} ${errorOutput?.errorCode ?? ''}`.trim();
  }
  const reasonOf = ({ status }: ChaosResult): string => status?.experimentStatus?.errorOutput?.reason ?? '';
  const stepsOf = ({ status }: ChaosResult): string[] => (status?.timeline ?? []).map(({ step }) => step);

  const RING = { RING: 'cassandra-0.cassandra cassandra-1.cassandra cassandra-2.cassandra' };
  const LIVENESS = {
    CASSANDRA_LIVENESS_CHECK: 'enable',
    CASSANDRA_SVC_NAME: 'cassandra-clients',
    KEYSPACE_REPLICATION_FACTOR: '3',
  };
  const cassandra = (namespace: string, env: Record<string, string> = {}) =>
    cluster.run('cassandra-pod-delete', {
      namespace,
      env: {
        TARGETS: `statefulset:${namespace}:[app=cassandra]`,
        DEFAULT_HEALTH_CHECK: 'true',
        TOTAL_CHAOS_DURATION: '4',
        CHAOS_INTERVAL: '4',
        FORCE: 'true',
        ...standInSetting('CASSANDRA_LIVENESS_IMAGE'),
        ...env,
      },
      statusCheckSeconds: RECOVERY_SECONDS,
    });

  test('cassandra-pod-delete: the ring is whole before and after, and its client never fails', async () => {
    const { namespace, uids, nothingLeft } = await scene('cassandra', 3, 9042, RING);
    const before = await uids();
    const result = await (await cassandra(namespace, LIVENESS)).ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    const after = await uids();
    const replaced = [...before].filter(([name, uid]) => after.get(name) !== uid);
    assert.equal(replaced.length, 1, 'one pod was deleted');
    await nothingLeft();
    const steps = stepsOf(result);
    assert.ok(steps.includes('WitnessStarted') && steps.includes('WitnessHeard'), steps.join(' '));
    const said = result.status?.timeline?.filter(({ message }) => /the ring has 3 nodes/.test(message));
    assert.equal(said?.length, 2, 'before and after');
    assert.deepEqual(
      result.status?.history?.targets?.map(({ kind, name, chaosStatus }) => `${kind} ${name} ${chaosStatus}`),
      ['statefulset cassandra targeted'],
    );
  });

  test('cassandra-pod-delete: a ring that is not whole is not touched', async () => {
    const { namespace, uids } = await scene('cassandra', 2, 9042, RING);
    const before = await uids();
    const run = await cluster.run('cassandra-pod-delete', {
      namespace,
      env: { TARGETS: `statefulset:${namespace}:[app=cassandra]`, DEFAULT_HEALTH_CHECK: 'true' },
      statusCheckSeconds: 3,
    });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error STATUS_CHECKS_ERROR');
    assert.match(reasonOf(result), /ring is not whole after 3 s: cassandra-2.cassandra is down/);
    assert.deepEqual(await uids(), before);
  });

  test('cassandra-pod-delete: a client that fails is an error with its last words, and goes', async () => {
    const { namespace, nothingLeft } = await scene('cassandra', 3, 9042, RING);
    const env = { ...LIVENESS, CASSANDRA_SVC_NAME: 'nobody' };
    const result = await (await cassandra(namespace, env)).ended();
    assert.equal(verdictOf(result), 'Error STATUS_CHECKS_ERROR', JSON.stringify(result.status));
    assert.match(reasonOf(result), /the Cassandra client .* failed during chaos/);
    await nothingLeft();
  });

  test('cassandra-pod-delete: an abort takes the client away', async () => {
    const { namespace, nothingLeft } = await scene('cassandra', 3, 9042, RING);
    const run = await cassandra(namespace, { ...LIVENESS, TOTAL_CHAOS_DURATION: '60', CHAOS_INTERVAL: '60' });
    await waitForList<KubeObject>(
      cluster.client,
      DEPLOYMENTS,
      (items) => items.some(({ metadata }) => metadata.name.includes('liveness')),
      { namespace, timeoutMs: LIMIT_MS },
    );
    await run.abort();
    assert.equal(verdictOf(await run.ended()), 'Stopped');
    await nothingLeft();
  });

  test('cassandra-pod-delete: an experiment that is killed leaves no client: a recovery removes it', async () => {
    const { namespace, nothingLeft } = await scene('cassandra', 3, 9042, RING);
    const run = await cassandra(namespace, {
      ...LIVENESS,
      TOTAL_CHAOS_DURATION: '120',
      CHAOS_INTERVAL: '120',
    });
    await run.until((result) => stepsOf(result).includes('WitnessStarted'));
    await cluster.killExperiment(namespace);
    await nothingLeft();
    assert.match(verdictOf(await run.ended()), /^Error/);
  });

  const kafka = (namespace: string, env: Record<string, string> = {}) =>
    cluster.run('kafka-broker-pod-failure', {
      namespace,
      env: {
        DEFAULT_HEALTH_CHECK: 'true',
        TOTAL_CHAOS_DURATION: '4',
        CHAOS_INTERVAL: '4',
        KAFKA_NAMESPACE: namespace,
        KAFKA_LABEL: 'app=kafka',
        KAFKA_SERVICE: 'kafka-clients',
        KAFKA_REPLICATION_FACTOR: '3',
        ...standInSetting('KAFKA_LIVENESS_IMAGE'),
        ...env,
      },
      statusCheckSeconds: RECOVERY_SECONDS,
    });

  test('kafka-broker-pod-failure: the leader of the stream’s topic is deleted, and the stream goes on', async () => {
    const { namespace, uids, nothingLeft } = await scene('kafka', 3, 9092);
    const before = await uids();
    const result = await (await kafka(namespace, { ZOOKEEPER_SERVICE: 'zookeeper' })).ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    const after = await uids();
    const replaced = [...before].flatMap(([name, uid]) => (after.get(name) === uid ? [] : [name]));
    assert.deepEqual(replaced, ['kafka-1']);
    await nothingLeft();
  });

  test('kafka-broker-pod-failure: a named broker is deleted, without a stream', async () => {
    const { namespace, uids, nothingLeft } = await scene('kafka', 3, 9092);
    const before = await uids();
    const env = { KAFKA_BROKER: 'kafka-2', KAFKA_LIVENESS_STREAM: 'disable' };
    const result = await (await kafka(namespace, env)).ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    const after = await uids();
    assert.deepEqual(
      [...before].flatMap(([name, uid]) => (after.get(name) === uid ? [] : [name])),
      ['kafka-2'],
    );
    assert.ok(!stepsOf(result).includes('WitnessStarted'));
    await nothingLeft();
  });

  test('kafka-broker-pod-failure: a stream that breaks is an error with the words of its consumer', async () => {
    const { namespace, nothingLeft } = await scene('kafka', 1, 9092, { START_MS: '2000' });
    const env = { KAFKA_CONSUMER_TIMEOUT: '700', TOTAL_CHAOS_DURATION: '8', CHAOS_INTERVAL: '8' };
    const result = await (await kafka(namespace, { ...env, KAFKA_BROKER: 'kafka-0' })).ended();
    assert.equal(verdictOf(result), 'Error STATUS_CHECKS_ERROR', JSON.stringify(result.status));
    assert.match(
      reasonOf(result),
      /broke during chaos: kafka-consumer ended with exit code 1; its log ends with: no message for 700 ms/,
    );
    await nothingLeft();
  });
});
