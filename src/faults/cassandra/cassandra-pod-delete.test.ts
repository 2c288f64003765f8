import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiPulse } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import cassandraPodDelete from './cassandra-pod-delete.ts';
import { parseRing, ringProblem } from './check-ring.ts';

const STATUS = `Datacenter: datacenter1
=======================
Status=Up/Down
|/ State=Normal/Leaving/Joining/Moving
--  Address     Load        Tokens  Owns (effective)  Host ID                               Rack
UN  10.1.0.4    103.22 KiB  16      76.0%             1b0c7c5e-6d5a-4b2c-9d36-0d6f5a1f2c11  rack1
UN  10.1.0.5    ?           16      59.3%             2b0c7c5e-6d5a-4b2c-9d36-0d6f5a1f2c12  rack1
UN  fd00::6     99.1 MiB    256     ?                 3b0c7c5e-6d5a-4b2c-9d36-0d6f5a1f2c13  rack1

`;

test('the rows of a status', () => {
  assert.deepEqual(parseRing(STATUS), [
    { address: '10.1.0.4', up: true, state: 'N', owns: '76.0%' },
    { address: '10.1.0.5', up: true, state: 'N', owns: '?' },
    { address: 'fd00::6', up: true, state: 'N', owns: '?' },
  ]);
  assert.deepEqual(parseRing('nodetool: Failed to connect to 127.0.0.1:7199'), []);
});

test('when a ring is whole', async (t) => {
  const cases: readonly [string, string, number, string | undefined][] = [
    ['all up', STATUS, 3, undefined],
    ['too few', STATUS, 4, 'it has 3 of 4 nodes'],
    ['one down', STATUS.replace('UN  10.1.0.5', 'DN  10.1.0.5'), 3, '10.1.0.5 is down'],
    ['one joins', STATUS.replace('UN  10.1.0.4', 'UJ  10.1.0.4'), 3, '10.1.0.4 is joining'],
    ['one owns nothing', STATUS.replace('76.0%', '0.0%'), 3, '10.1.0.4 owns nothing'],
    ['no ring', '', 3, 'it has 0 of 3 nodes'],
  ];
  for (const [name, text, wanted, problem] of cases) {
    await t.test(name, () => assert.equal(ringProblem(parseRing(text), wanted), problem));
  }
});

/** As the registry gives it: a fault of some settings. */
const fault: ApiPulse = cassandraPodDelete;

function witness(env: Record<string, string>) {
  const { settings, problems } = compileSettings(fault, env, () => 0);
  assert.deepEqual(problems, []);
  return fault.witness?.plan(settings.tunables, 'run1');
}

test('the client is planned with names that follow from the run, next to Cassandra', () => {
  assert.equal(witness({}), undefined);
  const planned = witness({
    CASSANDRA_LIVENESS_CHECK: 'Enable',
    CASSANDRA_SVC_NAME: 'cassandra',
    KEYSPACE_REPLICATION_FACTOR: '3',
    TARGETS: 'statefulset:data:[app=cassandra]',
    CHAOS_NAMESPACE: 'litmus',
  });
  assert.equal(planned?.target.namespace, 'data');
  assert.match(planned?.target.name ?? '', /^cassandra-liveness-deploy-[0-9a-f]{6}$/);
  assert.equal(planned?.parameters.image, 'litmuschaos/cassandra-client:latest');
  assert.throws(() => witness({ CASSANDRA_LIVENESS_CHECK: 'enable' }), {
    code: 'GENERIC_ERROR',
    message: /set CASSANDRA_SVC_NAME and KEYSPACE_REPLICATION_FACTOR, or CASSANDRA_LIVENESS_CHECK to disable/,
  });
});

test('settings that cannot be used, by name', () => {
  const env = {
    CASSANDRA_LIVENESS_CHECK: 'yes',
    KEYSPACE_REPLICATION_FACTOR: '0',
    LIVENESS_SVC_PORT: 'http',
  };
  assert.deepEqual(
    compileSettings(fault, env, () => 0).problems.map(({ variable }) => variable),
    Object.keys(env),
  );
});
