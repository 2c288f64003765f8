import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import type { ApiPulse, FaultContext } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { contextFor } from '../../experiment/injection/testing/builders.ts';
import kafkaBrokerPodFailure from './kafka-broker-pod-failure.ts';
import { brokerPod, describeCommands, parseLeader } from './leader.ts';
import { isStreaming } from './liveness.ts';

test('the leader of a topic', () => {
  const row = (leader: string): string =>
    `Topic: t\tPartitionCount: 1\tConfigs:\n\tTopic: t\tPartition: 0\tLeader: ${leader}\tReplicas: 1,0\tIsr: 1,0`;
  assert.equal(parseLeader(row('1')), 1);
  assert.equal(parseLeader(row('1001')), 1001);
  for (const none of ['none', '-1']) assert.equal(parseLeader(row(none)), undefined);
  assert.equal(parseLeader('Error while executing topic command'), undefined);
});

test('the pod of a broker has its whole number at the end', () => {
  const names = ['kafka-10', 'kafka-1-metrics', 'kafka-1', 'kafka-0'];
  assert.equal(brokerPod(names, 1), 'kafka-1');
  assert.equal(brokerPod(names, 0), 'kafka-0');
  assert.equal(brokerPod(names, 2), undefined);
});

test('ZooKeeper is asked first where there is one', () => {
  const input = { topic: 't', kafka: 'kafka:9092', zookeeper: 'zk:2181', instance: 'prod' };
  assert.deepEqual(
    describeCommands(input).map((words) => words.slice(4).join(' ')),
    ['--zookeeper zk:2181/prod', '--bootstrap-server kafka:9092'],
  );
  assert.equal(describeCommands({ ...input, zookeeper: undefined }).length, 1);
});

/** As the registry gives it: a fault of some settings. */
const fault: ApiPulse = kafkaBrokerPodFailure;
const STREAM = { KAFKA_SERVICE: 'kafka', KAFKA_REPLICATION_FACTOR: '3', KAFKA_NAMESPACE: 'data' };

function scene(env: Record<string, string>, leader: string, names: readonly string[], exitCode = 0) {
  const { settings, problems } = compileSettings(fault, env, () => 0);
  assert.deepEqual(problems, []);
  const items: KubeObject[] = names.map((name) => ({ metadata: { name } }));
  // Only these two are asked.
  const client = {
    list: async () => ({ items, metadata: {} }),
    exec: async () => ({
      exitCode,
      stdout: leader === '' ? '' : `Leader: ${leader}`,
      stderr: '',
      isTruncated: false,
    }),
  } as unknown as KubeClient;
  const context: FaultContext = { ...contextFor(client), recoveryTimeoutMs: 50, tunables: settings.tunables };
  const witness = fault.witness?.plan(settings.tunables, 'run1');
  return { witness, choose: () => fault.chooseTargets?.(settings.tunables, context, witness) };
}

test('which pods are hit', async (t) => {
  const quiet = { KAFKA_LIVENESS_STREAM: 'disable', KAFKA_NAMESPACE: 'data' };
  const cases: readonly [string, Record<string, string>, string | undefined][] = [
    ['the leader', STREAM, 'pod:data:[kafka-1]'],
    ['a named broker', { ...STREAM, KAFKA_BROKER: 'kafka-7' }, 'pod:data:[kafka-7]'],
    ['the brokers by label', { ...quiet, KAFKA_LABEL: 'app=kafka' }, 'statefulset:data:[app=kafka]'],
    ['what TARGETS says', { ...quiet, KAFKA_LABEL: 'a=b', TARGETS: 'statefulset:x:[k]' }, undefined],
  ];
  for (const [name, env, expected] of cases) {
    await t.test(name, async () =>
      assert.equal(await scene(env, '1', ['kafka-0', 'kafka-1']).choose(), expected),
    );
  }
});

test('a leader with an unknown pod, and none at all', async () => {
  await assert.rejects(async () => scene(STREAM, '1001', ['kafka-0']).choose(), {
    code: 'TARGET_SELECTION_ERROR',
    message: /broker 1001 leads .*there are kafka-0\); set KAFKA_BROKER/,
  });
  await assert.rejects(async () => scene(STREAM, 'none', ['kafka-0']).choose(), {
    code: 'STATUS_CHECKS_ERROR',
    message: /topic topic-[0-9a-f]{6} has no leader after 0.05 s/,
  });
  await assert.rejects(async () => scene(STREAM, '', ['kafka-0'], 137).choose(), {
    message: /\(.*: exit code 137\); look at the brokers, set KAFKA_BROKER, or raise STATUS_CHECK_TIMEOUT$/,
  });
});

test('the stream is planned with names that follow from the run; without what it needs it is refused', () => {
  const { witness } = scene(STREAM, '1', []);
  assert.match(`${witness?.target.namespace}/${witness?.target.name}`, /^data\/kafka-liveness-[0-9a-f]{6}$/);
  assert.throws(() => scene({}, '1', []), {
    code: 'GENERIC_ERROR',
    message: /set KAFKA_SERVICE and KAFKA_REPLICATION_FACTOR, or KAFKA_LIVENESS_STREAM to disable/,
  });
});

test('when a stream streams', () => {
  const pod = (phase: string, ...running: boolean[]): Pod => ({
    metadata: { name: 'p' },
    status: {
      phase,
      containerStatuses: running.map((is) => ({
        name: 'c',
        ready: is,
        restartCount: 0,
        image: '',
        imageID: '',
        state: is ? { running: { startedAt: '2030-01-01T00:00:00Z' } } : { terminated: { exitCode: 1 } },
      })),
    },
  });
  assert.equal(isStreaming(pod('Running', true, true)), true);
  assert.equal(isStreaming(pod('Running', true, false)), false);
  assert.equal(isStreaming(pod('Pending')), false);
});

test('settings that cannot be used, by name', () => {
  const env = { KAFKA_PORT: '0', KAFKA_REPLICATION_FACTOR: 'many', KAFKA_LIVENESS_STREAM: 'on' };
  assert.deepEqual(
    compileSettings(fault, env, () => 0).problems.map(({ variable }) => variable),
    Object.keys(env),
  );
});
