import { SettingsError } from '../../experiment/injection/errors.ts';
import type { ApiPulse, Injection } from '../../experiment/injection/fault.ts';
import type { CommonTunables } from '../../experiment/injection/settings/common-tunables.ts';
import { choice, patterned, port, text } from '../../experiment/injection/settings/declare.ts';
import { parseTargets } from '../../experiment/injection/settings/parse-targets.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { shortId } from '../companion/companion.ts';
import podDelete from '../pod/pod-delete.ts';
import { checkRing } from './check-ring.ts';
import { checkLiveness, type LivenessParameters, removeLiveness, startLiveness } from './liveness.ts';

const tunables = {
  ...podDelete.tunables,
  CASSANDRA_LIVENESS_CHECK: choice(
    { choices: ['enable', 'disable'], default: 'disable' },
    'Whether a client uses Cassandra all the time, which must not fail.',
  ),
  CASSANDRA_LIVENESS_IMAGE: text('Image of that client.', 'litmuschaos/cassandra-client:latest'),
  CASSANDRA_SVC_NAME: text('Service of Cassandra; needed for the client.'),
  KEYSPACE_REPLICATION_FACTOR: patterned(
    { pattern: '[1-9][0-9]*', form: 'a whole number from 1' },
    "Copies of the client's data; needed for the client.",
  ),
  CASSANDRA_PORT: port(9042, 'Port of that service.'),
  LIVENESS_SVC_PORT: port(8088, 'Port at which the client tells how far it is.'),
} as const satisfies TunableSchema;

type Settings = Tunables<
  typeof tunables & Pick<CommonTunables, 'TARGETS' | 'CHAOS_NAMESPACE' | 'LIB_IMAGE_PULL_POLICY'>
>;

/**
 * Deletes pods of a Cassandra cluster, round after round; the ring has to be whole before and after.
 *
 * What is touched: the chosen pods, as by pod-delete; with the liveness check, a deployment and a service of a client are made.
 * How it is undone: the stateful set recreates the pods; the client is removed by its names. What remains if this process dies:
 * the client, until recovery.
 */
const cassandraPodDelete: ApiPulse<typeof tunables> = {
  ...podDelete,
  name: 'cassandra-pod-delete',
  summary: 'Deletes pods of a Cassandra cluster, repeatedly, and checks that the ring becomes whole again.',
  tunables,
  permissions: [
    ...podDelete.permissions,
    { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    { apiGroups: [''], resources: ['services'], verbs: ['create', 'get', 'delete'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'get', 'delete'] },
  ],
  dependencies: ({ CASSANDRA_LIVENESS_CHECK, CASSANDRA_LIVENESS_IMAGE }) =>
    CASSANDRA_LIVENESS_CHECK === 'disable'
      ? []
      : [{ kind: 'Image', name: CASSANDRA_LIVENESS_IMAGE, setting: 'CASSANDRA_LIVENESS_IMAGE' }],
  health: { check: checkRing },
  witness: { plan: planLiveness, start: startLiveness, check: checkLiveness },
  revert: removeLiveness,
};

export default cassandraPodDelete;

function planLiveness(settings: Tunables<typeof tunables>, runId: string): Injection | undefined {
  if (settings.CASSANDRA_LIVENESS_CHECK === 'disable') return undefined;
  // Every run has the common settings too.
  const { TARGETS, CHAOS_NAMESPACE, LIB_IMAGE_PULL_POLICY, ...own } = settings as Settings;
  const missing = (['CASSANDRA_SVC_NAME', 'KEYSPACE_REPLICATION_FACTOR'] as const).filter(
    (name) => own[name] === '',
  );
  if (missing.length > 0) {
    throw new SettingsError(
      `cannot run the liveness check of cassandra-pod-delete: set ${missing.join(' and ')}, or CASSANDRA_LIVENESS_CHECK to disable`,
    );
  }
  // Next to Cassandra, whose service has a short name there only.
  const namespace = parseTargets(TARGETS).entries[0]?.namespace ?? CHAOS_NAMESPACE;
  const parameters: LivenessParameters = {
    image: own.CASSANDRA_LIVENESS_IMAGE,
    pullPolicy: LIB_IMAGE_PULL_POLICY,
    service: own.CASSANDRA_SVC_NAME,
    replicationFactor: own.KEYSPACE_REPLICATION_FACTOR,
    port: own.CASSANDRA_PORT,
    statusPort: own.LIVENESS_SVC_PORT,
    serviceName: `cassandra-liveness-service-${shortId(runId)}`,
  };
  const name = `cassandra-liveness-deploy-${shortId(runId)}`;
  return { id: 'liveness', target: { kind: 'deployment', namespace, name }, parameters };
}
