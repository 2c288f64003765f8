import type { NewObject } from '@turnsole/kube/client/types';
import type { Container, Job, OwnerReference, PodSpec } from '@turnsole/kube/kinds/core';
import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import { restrictedContainer } from '@turnsole/kube/kinds/restricted-container';
import { CHAOS_ENGINES, type ChaosEngine, LABEL_CHAOS_UID, LABEL_RUN_ID } from '../../api/index.ts';
import { isKnownImage } from '../../chaos/known-images.ts';
import type { JobPlan } from './job-plan.ts';

/**
 * The Job of an experiment. Pure. Names, labels and fields are those of the compatibility reference; ours are the owner
 * reference (deleting the engine removes the Job, operator or not), backoffLimit 0 (one pod per run) and the run id.
 */
export function buildExperimentJob(plan: JobPlan): NewObject<Job> {
  const { engine, definition, entry, jobName } = plan;
  const labels = {
    ...definition.labels,
    ...engine.metadata.labels,
    [LABEL_CHAOS_UID]: engine.metadata.uid ?? '',
    [LABEL_RUN_ID]: plan.runId,
  };
  const annotations = {
    ...definition.experimentAnnotations,
    ...entry.spec?.components?.experimentAnnotations,
  };
  const hasAnnotations = Object.keys(annotations).length > 0;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName,
      namespace: plan.settings.namespace,
      labels,
      ...(hasAnnotations ? { annotations } : {}),
      ownerReferences: [engineReference(engine)],
    },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels, ...(hasAnnotations ? { annotations } : {}) },
        spec: podSpec(plan),
      },
    },
  };
}

/** Owner reference that lets the garbage collector remove what carries it with the engine. */
export function engineReference({ metadata }: ChaosEngine): OwnerReference {
  return {
    apiVersion: apiVersionOf(CHAOS_ENGINES),
    kind: CHAOS_ENGINES.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
  };
}

function podSpec(plan: JobPlan): PodSpec {
  const { definition, entry, engine, settings, volumes, sidecars } = plan;
  const components = entry.spec?.components;
  const grace = engine.spec.terminationGracePeriodSeconds ?? 0;
  const allVolumes = [...volumes.volumes, ...sidecars.flatMap((sidecar) => sidecar.volumes)];
  return {
    restartPolicy: 'Never',
    ...(settings.serviceAccount === '' ? {} : { serviceAccountName: settings.serviceAccount }),
    containers: [mainContainer(plan), ...sidecars.map(({ container }) => container)],
    ...(allVolumes.length === 0 ? {} : { volumes: allVolumes }),
    ...(definition.hostPID === true ? { hostPID: true } : {}),
    ...present('securityContext', definition.securityContext?.podSecurityContext),
    ...present('nodeSelector', components?.nodeSelector),
    ...present('tolerations', components?.tolerations),
    ...present('affinity', awayFromTarget(plan)),
    ...present('imagePullSecrets', components?.experimentImagePullSecrets),
    ...(grace > 0 ? { terminationGracePeriodSeconds: grace } : {}),
  };
}

/**
 * The experiment should not run on a node that it is about to drain, silence or switch off: where the cluster has another one,
 * it runs there. Only a preference, for a cluster may have a single node.
 */
function awayFromTarget({ env }: JobPlan): PodSpec['affinity'] {
  const named = env.find(({ name }) => name === 'TARGET_NODE')?.value ?? '';
  if (named === '') return undefined;
  const others = { key: 'metadata.name', operator: 'NotIn', values: [named] };
  return {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchFields: [others] } },
      ],
    },
  };
}

function mainContainer(plan: JobPlan): Container {
  const { jobName, image, imagePullPolicy, definition, entry, env, volumes, settings } = plan;
  const { podSecurityContext, containerSecurityContext } = definition.securityContext ?? {};
  return {
    name: jobName,
    image,
    imagePullPolicy,
    ...present('command', definition.command),
    ...present('args', definition.args),
    env: [...env],
    // What it said last is in its state, for a run that ends without a result.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(volumes.mounts.length === 0 ? {} : { volumeMounts: [...volumes.mounts] }),
    // An image that is not known may need more.
    ...present(
      'securityContext',
      isKnownImage(image, settings.knownImages)
        ? restrictedContainer(containerSecurityContext, podSecurityContext)
        : containerSecurityContext,
    ),
    ...present('resources', entry.spec?.components?.resources),
  };
}

/** `{ [key]: value }`, or nothing for an absent or empty value. */
function present<K extends string, V extends object>(key: K, value: V | null | undefined): { [P in K]?: V } {
  if (value === undefined || value === null || Object.keys(value).length === 0) return {};
  // A computed key loses its literal type.
  return { [key]: value } as { [P in K]?: V };
}
