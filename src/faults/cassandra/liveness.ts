/** A client that uses Cassandra all the time, by upstream's image of it: a deployment that works, a service that shows its progress. */
import type { Deployment, EnvVar, Pod, Service } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { askUntil } from '../../experiment/injection/ask-until.ts';
import { StatusCheckError } from '../../experiment/injection/errors.ts';
import { type FaultContext, type Injection, parametersOf } from '../../experiment/injection/fault.ts';
import { awaitRecovery } from '../../experiment/targets/health/await-recovery.ts';
import {
  companionMetadata,
  createCompanion,
  inherited,
  lastLines,
  ownPod,
  removeOnce,
  runOf,
  runSettings,
} from '../companion/companion.ts';
import { ask, describeAnswer, hostPort, NoAnswerError } from '../remote/ask.ts';

/** Parameters of the client. JSON. */
export interface LivenessParameters extends Record<string, unknown> {
  readonly image: string;
  readonly pullPolicy: string;
  /** Service of Cassandra, as its clients know it. */
  readonly service: string;
  readonly replicationFactor: string;
  readonly port: number;
  /** Where the client shows its progress. */
  readonly statusPort: number;
  readonly serviceName: string;
}

/** The client's message when it has written, read and removed its data. */
const COMPLETE = 'CycleComplete';
/** Rhythm of the client; upstream's. */
const SECONDS = '10';
/** Containers of the client; the second serves what the first notes. */
const WORKER = 'liveness-business-logic';
const STATUS_FOLDER = { name: 'status-volume', mountPath: '/var/tmp' } as const;

/** Puts deployment and service up, and resolves when they are ready. */
export async function startLiveness(injection: Injection, context: FaultContext): Promise<void> {
  const { name, namespace = '' } = injection.target;
  const own = await ownPod(context);
  const settings = runSettings(context);
  const parameters = parametersOf<LivenessParameters>(injection);
  const place = { namespace, run: runOf(injection) };
  const metadata = companionMetadata({ ...place, name, app: name }, own, settings);
  const from = inherited(own, settings);
  await createCompanion<Deployment>(
    DEPLOYMENTS,
    {
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: metadata.labels ?? {} },
          spec: {
            ...from.spec,
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 1,
            volumes: [{ name: STATUS_FOLDER.name, emptyDir: {} }],
            containers: containersOf(parameters),
          },
        },
      },
    },
    context,
  );
  const { statusPort, serviceName } = parameters;
  await createCompanion<Service>(
    SERVICES,
    {
      metadata: companionMetadata({ ...place, name: serviceName, app: serviceName }, own, settings),
      spec: { ports: [{ name: 'liveness', port: statusPort }], selector: { app: name } },
    },
    context,
  );
  await awaitRecovery({ namespace, owner: { kind: 'deployment', name } }, context);
}

function containersOf(parameters: LivenessParameters) {
  const { image, pullPolicy, service, replicationFactor, port, statusPort } = parameters;
  const base = {
    image,
    imagePullPolicy: pullPolicy,
    command: ['/bin/bash'],
    volumeMounts: [STATUS_FOLDER],
  };
  const env = (values: Readonly<Record<string, string>>): EnvVar[] =>
    Object.entries(values).map(([name, value]) => ({ name, value }));
  return [
    {
      ...base,
      name: WORKER,
      args: ['-c', 'bash cassandra-liveness-check.sh'],
      env: env({
        LIVENESS_PERIOD_SECONDS: SECONDS,
        LIVENESS_TIMEOUT_SECONDS: SECONDS,
        LIVENESS_RETRY_COUNT: SECONDS,
        CASSANDRA_SVC_NAME: service,
        REPLICATION_FACTOR: replicationFactor,
        CASSANDRA_PORT: String(port),
      }),
    },
    {
      ...base,
      name: 'webserver',
      args: ['-c', 'bash webserver.sh'],
      ports: [{ containerPort: statusPort }],
      env: env({ INIT_WAIT_SECONDS: SECONDS, LIVENESS_SVC_PORT: String(statusPort) }),
    },
  ];
}

/**
 * Resolves when the client has not failed once, and says that its cycle is complete.
 *
 * @throws StatusCheckError with what the client said last
 */
export async function checkLiveness(injection: Injection, context: FaultContext): Promise<void> {
  const { clock, signal, recoveryTimeoutMs } = context;
  let found = '';
  const complete = await askUntil({
    clock,
    signal,
    timeoutMs: recoveryTimeoutMs,
    ask: async () => {
      // It may fail late, too: while its cycle is waited for.
      await assertUnbroken(injection, context);
      found = await stateOf(injection, context);
      return found.includes(COMPLETE) ? true : undefined;
    },
  });
  if (complete === true) return;
  throw new StatusCheckError(
    `the Cassandra client ${injection.target.namespace}/${injection.target.name} does not say ${COMPLETE} after ` +
      `${recoveryTimeoutMs / 1000} s: ${found}`,
  );
}

async function assertUnbroken({ target }: Injection, context: FaultContext): Promise<void> {
  const { client, signal } = context;
  const { name, namespace = '' } = target;
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector: `app=${name}`, signal });
  const broken = items.find(hasFailed);
  if (broken === undefined && items.length > 0) return;
  const pod = broken?.metadata.name;
  const said = pod === undefined ? 'nothing' : await lastLines(pod, namespace, WORKER, context);
  throw new StatusCheckError(
    `the Cassandra client ${namespace}/${pod ?? name} failed during chaos; its log ends with: ${said}`,
  );
}

/** Whether a container of it has ended; a pod that only reports of itself anew has not failed. */
function hasFailed({ status }: Pod): boolean {
  const containers = status?.containerStatuses ?? [];
  return (
    status?.phase !== 'Running' ||
    containers.some(({ restartCount, state }) => restartCount > 0 || !state?.running)
  );
}

/** What the client's service says, or why it says nothing. */
async function stateOf(injection: Injection, { client, signal }: FaultContext): Promise<string> {
  const { namespace = '' } = injection.target;
  const { serviceName, statusPort } = parametersOf<LivenessParameters>(injection);
  const { spec } = await client.get<Service>(SERVICES, serviceName, { namespace, signal });
  try {
    return describeAnswer(
      await ask({ url: `http://${hostPort(spec?.clusterIP ?? '', statusPort)}`, signal }),
    );
  } catch (error) {
    if (error instanceof NoAnswerError) return error.message;
    throw error;
  }
}

/** Takes both away. */
export async function removeLiveness(injection: Injection, context: FaultContext): Promise<void> {
  const { name, namespace = '' } = injection.target;
  await removeOnce(DEPLOYMENTS, name, namespace, context);
  await removeOnce(SERVICES, parametersOf<LivenessParameters>(injection).serviceName, namespace, context);
}
