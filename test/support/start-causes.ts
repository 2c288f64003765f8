/**
 * Causes that keep a run or one of its experiments from starting, each in a namespace of its own on a real embedded cluster, and
 * how soon the reason stands where users look: in the engine's status, in an Event, in the timeline.
 *
 * To add a cause, add a row to {@link START_CAUSES}: `test/e2e/start-reasons.test.ts` tests it, `npm run bench:reasons` measures it.
 */

import { startAdmissionWebhook } from '@turnsole/cluster/apiserver/testing/admission-webhook';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { ClusterRoleBinding, CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  EVENTS,
  NAMESPACES,
  PODS,
  RESOURCE_QUOTAS,
  SERVICE_ACCOUNTS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosEngineSpec,
  type ChaosExperiment,
  type ExperimentComponents,
} from '../../src/api/index.ts';
import { HALT_NAME } from '../../src/chaos/halt.ts';

/** Far more than anything here takes, on a machine that is busy with other things. */
const LIMIT_MS = 60_000;
const RBAC = 'rbac.authorization.k8s.io';
const ACCOUNT = 'chaos-sa';
const ENGINE = 'web';

/** One cause. */
export interface StartCause {
  readonly name: string;
  /** Makes the objects that the engine needs. */
  readonly prepare?: (client: KubeClient, namespace: string) => Promise<unknown>;
  readonly spec?: Partial<ChaosEngineSpec>;
  /** Of the engine's only entry. */
  readonly components?: ExperimentComponents;
  readonly definition?: Partial<ChaosExperiment['spec']['definition']>;
  /** No ChaosExperiment is made. */
  readonly noExperiment?: boolean;
  /** The account gets no permissions. */
  readonly noPermissions?: boolean;
  /** The expected message, the same everywhere. */
  readonly message: RegExp;
  /** Reason of the condition Runnable; absent when the experiment's entry says it. */
  readonly condition?: string;
  /** Reason of the Event. */
  readonly event: string;
  /** Whether the condition is not there all the time. */
  readonly comesAndGoes?: boolean;
}

const NOWHERE = 'registry.invalid/nobody/nothing:1';
const FAILED = 'ChaosResourcesOperationFailed';
const NOT_STARTING = 'ExperimentPodNotStarting';

/** The table. */
export const START_CAUSES: readonly StartCause[] = [
  {
    name: 'service account missing',
    spec: { chaosServiceAccount: 'nobody' },
    message: /service ?account "?nobody"? (was )?not found.*create it or set spec\.chaosServiceAccount/i,
    condition: 'ServiceAccountNotFound',
    event: FAILED,
  },
  {
    name: 'service account without permissions',
    noPermissions: true,
    message: /the runner failed .*chaosengines.*forbidden/is,
    condition: 'RunnerFailing',
    comesAndGoes: true,
    event: FAILED,
  },
  {
    name: 'bad spec',
    spec: { appinfo: { appkind: 'deployment' } },
    message: /spec\.appinfo\.applabel/,
    condition: 'SpecInvalid',
    event: FAILED,
  },
  {
    name: 'runner: image not pullable',
    spec: { components: { runner: { image: NOWHERE } } },
    message: /image registry\.invalid.* is waiting with (ErrImagePull|ImagePullBackOff)/,
    condition: 'ImagePullFailed',
    event: FAILED,
  },
  {
    name: 'runner: not an image name',
    spec: { components: { runner: { image: 'No Image' } } },
    message: /InvalidImageName/,
    condition: 'ImageNameInvalid',
    event: FAILED,
  },
  {
    name: 'runner: quota exceeded',
    prepare: (client, namespace) => createQuota(client, namespace, '0'),
    message: /web-runner.*exceeded quota: few/,
    condition: 'QuotaExceeded',
    event: FAILED,
  },
  {
    name: 'runner: refused by an admission webhook',
    prepare: (client, namespace) => refuseBy(client, namespace, { apiGroups: [''], resources: ['pods'] }),
    message: /web-runner.*admission webhook "no\.example\.com" denied the request: not on a Friday/,
    condition: 'AdmissionRefused',
    event: FAILED,
  },
  {
    name: 'runner: unschedulable',
    spec: { components: { runner: { nodeSelector: { nowhere: 'x' } } } },
    message: /web-runner finds no node/,
    condition: 'Unschedulable',
    event: FAILED,
  },
  {
    name: 'runner: security context refused',
    definition: { securityContext: { containerSecurityContext: { runAsNonRoot: true, runAsUser: 0 } } },
    message: /breaks non-root policy/,
    condition: 'ContainerCannotStart',
    event: FAILED,
  },
  {
    name: 'runner: name taken',
    prepare: (client, namespace) =>
      client.create<Pod>(
        PODS,
        {
          metadata: { name: `${ENGINE}-runner` },
          spec: { nodeSelector: { nowhere: 'x' }, containers: [{ name: 'c', image: NOWHERE }] },
        },
        { namespace },
      ),
    message: /a pod of that name exists that this engine does not own/,
    condition: 'NameTaken',
    event: FAILED,
  },
  {
    name: 'halted',
    prepare: (client, namespace) =>
      client.create(CONFIG_MAPS, { metadata: { name: HALT_NAME } } as NewObject<KubeObject>, { namespace }),
    message: /chaos is halted in namespace/,
    condition: 'Halted',
    event: FAILED,
  },
  {
    name: 'ChaosExperiment missing',
    noExperiment: true,
    message: /ChaosExperiment \S+\/pod-delete not found/,
    event: 'ExperimentNotFound',
  },
  {
    name: 'config map to mount missing',
    components: { configMaps: [{ name: 'nothing', mountPath: '/x' }] },
    message: /config map \S+\/nothing not found/,
    event: 'ExperimentDependencyCheck',
  },
  {
    name: 'secret to mount missing',
    components: { secrets: [{ name: 'nothing', mountPath: '/x' }] },
    message: /secret \S+\/nothing not found/,
    event: 'ExperimentDependencyCheck',
  },
  {
    name: 'config map of a variable missing',
    components: { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'nothing', key: 'k' } } }] },
    message: /CreateContainerConfigError.*nothing.*not found/,
    event: NOT_STARTING,
  },
  {
    name: 'secret of a variable missing',
    components: { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'nothing', key: 'k' } } }] },
    message: /CreateContainerConfigError.*nothing.*not found/,
    event: NOT_STARTING,
  },
  {
    name: 'experiment: image not pullable',
    components: { experimentImage: NOWHERE },
    message: /image registry\.invalid.* is waiting with (ErrImagePull|ImagePullBackOff)/,
    event: NOT_STARTING,
  },
  {
    name: 'experiment: quota exceeded',
    // Enough for the runner.
    prepare: (client, namespace) => createQuota(client, namespace, '1'),
    message: /Job pod-delete-\w+ cannot create its pod.*exceeded quota: few/,
    event: NOT_STARTING,
  },
  {
    name: 'experiment: Job refused by an admission webhook',
    prepare: (client, namespace) =>
      refuseBy(client, namespace, { apiGroups: ['batch'], resources: ['jobs'] }),
    message: /admission webhook "no\.example\.com" denied the request: not on a Friday/,
    event: 'JobCreationError',
  },
  {
    name: 'experiment: unschedulable',
    components: { nodeSelector: { nowhere: 'x' } },
    message: /pod-delete-\S+ finds no node/,
    event: NOT_STARTING,
  },
];

function createQuota(client: KubeClient, namespace: string, pods: string): Promise<unknown> {
  const quota = { metadata: { name: 'few' }, spec: { hard: { pods } } } as NewObject<KubeObject>;
  return client.create(RESOURCE_QUOTAS, quota, { namespace });
}

/** Makes the API server ask a webhook that says no. It ends with the process. */
async function refuseBy(
  client: KubeClient,
  namespace: string,
  rule: { readonly apiGroups: readonly string[]; readonly resources: readonly string[] },
): Promise<unknown> {
  const answer = { allowed: false, status: { message: 'not on a Friday', code: 403, reason: 'Forbidden' } };
  const { url, caBundle } = await startAdmissionWebhook({ after: () => undefined }, () => answer);
  const configuration = {
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'no.example.com',
        clientConfig: { url, caBundle },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ ...rule, apiVersions: ['v1'], operations: ['CREATE'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  } as NewObject<KubeObject>;
  return client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, configuration);
}

/** How soon after the engine was created the reason was there, in milliseconds, as a watcher sees it. */
export interface ReportedReason {
  readonly cause: string;
  readonly namespace: string;
  readonly statusMs: number;
  readonly eventMs: number;
  /** The line of the timeline that reports it; it is stored with the status. */
  readonly step: string | undefined;
  readonly engine: ChaosEngine;
}

/** Makes the namespace of a cause, with all that the cause does not lack; gives its name. */
export async function prepareCause(client: KubeClient, cause: StartCause, suffix = ''): Promise<string> {
  const namespace = `cause-${cause.name.toLowerCase().replace(/[^a-z]+/g, '-')}${suffix}`;
  const place = { namespace };
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: ACCOUNT } }, place);
  if (cause.noPermissions !== true) {
    await client.create<ClusterRoleBinding>(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: namespace },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    });
  }
  if (cause.noExperiment !== true) {
    const definition = {
      image: 'litmuschaos/go-runner:latest',
      args: ['-c', './experiments -name pod-delete'],
      command: ['/bin/bash'],
      ...cause.definition,
    };
    const experiment = { metadata: { name: 'pod-delete' }, spec: { definition } };
    await client.create<ChaosExperiment>(CHAOS_EXPERIMENTS, experiment, place);
  }
  await cause.prepare?.(client, namespace);
  return namespace;
}

/** Creates the engine of a cause whose namespace is prepared, and watches until all places say the reason. */
export async function reportedReason(
  client: KubeClient,
  cause: StartCause,
  namespace: string,
): Promise<ReportedReason> {
  const limits = { namespace, timeoutMs: LIMIT_MS };
  const entry = {
    name: 'pod-delete',
    ...(cause.components ? { spec: { components: cause.components } } : {}),
  };
  const startedAt = performance.now();
  let engine: ChaosEngine | undefined;
  let seen: unknown;
  const explain = (what: string) => (error: unknown) => {
    throw new Error(`${cause.name}: no ${what} says ${cause.message}; last seen ${JSON.stringify(seen)}`, {
      cause: error,
    });
  };
  await client.create<ChaosEngine>(
    CHAOS_ENGINES,
    {
      metadata: { name: ENGINE },
      spec: {
        engineState: 'active',
        chaosServiceAccount: ACCOUNT,
        // It selects nothing to be hit; the test is that nothing starts.
        appinfo: { appns: namespace, applabel: 'app=nothing', appkind: 'deployment' },
        experiments: [entry],
        ...cause.spec,
      },
    },
    { namespace },
  );
  const inStatus = waitForObject<ChaosEngine>(
    client,
    CHAOS_ENGINES,
    ENGINE,
    (found) => {
      seen = found?.status;
      if (found === undefined || !isSaidIn(found, cause)) return false;
      engine = found;
      return true;
    },
    limits,
  ).then(() => performance.now() - startedAt, explain('status'));
  const inEvent = waitForList<CoreEvent>(
    client,
    EVENTS,
    (events) =>
      events.some(
        ({ reason, type, message, involvedObject }) =>
          reason === cause.event &&
          type === 'Warning' &&
          involvedObject.kind === 'ChaosEngine' &&
          cause.message.test(message ?? ''),
      ),
    limits,
  ).then(() => performance.now() - startedAt, explain('Event'));
  const [statusMs, eventMs] = await Promise.all([inStatus, inEvent]);
  if (engine === undefined) throw new Error(`${cause.name}: the engine was never seen`);
  const step = engine.status?.timeline?.find(({ message }) => cause.message.test(message))?.step;
  return { cause: cause.name, namespace, statusMs, eventMs, step, engine };
}

function isSaidIn({ status }: ChaosEngine, { condition, message }: StartCause): boolean {
  if (condition === undefined) {
    return status?.experiments?.some(({ reason }) => message.test(reason ?? '')) === true;
  }
  return (
    status?.conditions?.some(
      (one) => one.type === 'Runnable' && one.reason === condition && message.test(one.message ?? ''),
    ) === true
  );
}
