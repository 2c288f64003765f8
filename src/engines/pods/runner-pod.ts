import type { NewObject } from '@turnsole/kube/client/types';
import type { EnvVar, Pod, Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import { restrictedContainer } from '@turnsole/kube/kinds/restricted-container';
import { ownerReference } from '@turnsole/kube/runtime/owner-references';
import {
  CHAOS_ENGINES,
  type ChaosEngine,
  type ChaosExperiment,
  COMPONENT_RUNNER,
  LABEL_APP,
  LABEL_CHAOS_UID,
  LABEL_COMPONENT,
  LABEL_PART_OF,
  LABEL_RUN_ID,
  PART_OF_LITMUS,
} from '../../api/index.ts';
import { handoutOf, type OperatorHandout } from '../../chaos/experiment-env.ts';
import { isKnownImage, KNOWN_IMAGES_VARIABLE, knownImagesText } from '../../chaos/known-images.ts';
import {
  OWN_IMAGE_PULL_POLICY_VARIABLE,
  OWN_IMAGE_VARIABLE,
  type OwnImage,
  replaceUpstreamImage,
} from '../../chaos/own-image.ts';
import { runnerTraceParent } from '../../chaos/run-trace.ts';
import { RUNNER_CONTAINER, runnerPodName } from '../../chaos/runner-name.ts';

/** What the operator adds to what the engine says. */
export interface RunnerPodDefaults extends OperatorHandout {
  /** For engines that name no runner image. */
  readonly image: string;
  /** Stands in for upstream's images; the operator passes it on to runners. */
  readonly ownImage?: OwnImage;
  /** Images known to keep what Turnsole promises; the operator passes them on to runners. @default none: every image is unknown */
  readonly knownImages?: readonly string[];
}

/**
 * Builds the runner pod of an engine. Pure; names, labels and variables are those of the compatibility reference, plus
 * RUN_ID and its label. Variables without a value are left out.
 *
 * @param first the ChaosExperiment of the engine's first entry, whose security contexts apply to the runner as well
 */
export function buildRunnerPod(
  engine: ChaosEngine,
  first: ChaosExperiment | undefined,
  defaults: RunnerPodDefaults,
): NewObject<Pod> {
  const { metadata, spec, status } = engine;
  const runner = spec.components?.runner ?? {};
  const security = first?.spec.definition.securityContext;
  const { volumes, mounts } = runnerVolumes(engine);
  const { image, pullPolicy } = runnerImage(engine, defaults);
  const container = dropEmpty({
    name: RUNNER_CONTAINER,
    image,
    imagePullPolicy: pullPolicy,
    command: runner.command,
    args: runner.args,
    env: runnerEnv(engine, defaults),
    volumeMounts: mounts,
    resources: runner.resources,
    // An image that is not known may need more.
    securityContext: isKnownImage(image, defaults.knownImages ?? [])
      ? restrictedContainer(security?.containerSecurityContext, security?.podSecurityContext)
      : security?.containerSecurityContext,
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: dropEmpty({
      name: runnerPodName(metadata.name),
      namespace: metadata.namespace,
      labels: runnerLabels(engine, status?.runId),
      annotations: runner.runnerAnnotations,
      ownerReferences: [ownerReference(CHAOS_ENGINES, engine)],
    }),
    spec: dropEmpty({
      // A runner that does not resume would start the experiments once more, beside those under way.
      restartPolicy: isForeignRunner(engine, defaults) ? 'Never' : 'OnFailure',
      serviceAccountName: spec.chaosServiceAccount,
      containers: [container],
      volumes,
      tolerations: runner.tolerations,
      nodeSelector: runner.nodeSelector,
      imagePullSecrets: runner.imagePullSecrets,
      securityContext: security?.podSecurityContext,
    }),
  };
}

/** The image of an engine's runner, and its pull policy. Pure. */
function runnerImage(
  { spec }: ChaosEngine,
  defaults: RunnerPodDefaults,
): { readonly image: string; readonly pullPolicy: string } {
  const runner = spec.components?.runner ?? {};
  return replaceUpstreamImage(
    {
      image: runner.image || defaults.image,
      pullPolicy: runner.imagePullPolicy || defaults.ownImage?.pullPolicy || 'IfNotPresent',
    },
    defaults.ownImage,
  );
}

/**
 * Whether an engine's runner is known not to be Turnsole's: it does not resume a run, knows no order of experiments and hands on
 * none of our settings. Without knowledge of images no runner is. Pure.
 */
export function isForeignRunner(engine: ChaosEngine, defaults: RunnerPodDefaults): boolean {
  const { knownImages = [] } = defaults;
  return knownImages.length > 0 && !isKnownImage(runnerImage(engine, defaults).image, knownImages);
}

function runnerLabels({ metadata, spec }: ChaosEngine, runId: string | undefined): Record<string, string> {
  return {
    [LABEL_APP]: metadata.name,
    [LABEL_COMPONENT]: COMPONENT_RUNNER,
    [LABEL_PART_OF]: PART_OF_LITMUS,
    ...spec.components?.runner?.runnerLabels,
    // These two are how an abort finds the pod and a run knows its own: they cannot be overridden.
    [LABEL_CHAOS_UID]: metadata.uid ?? '',
    ...(runId === undefined ? {} : { [LABEL_RUN_ID]: runId }),
  };
}

function runnerEnv(engine: ChaosEngine, defaults: RunnerPodDefaults): EnvVar[] {
  const { metadata, spec, status } = engine;
  const handout = handoutOf(engine, defaults);
  const values: readonly (readonly [string, string | undefined])[] = [
    ['CHAOSENGINE', metadata.name],
    ['TARGETS', handout.targets],
    ['EXPERIMENT_LIST', spec.experiments.map(({ name }) => name).join(',')],
    ['CHAOS_SVC_ACC', handout.serviceAccount],
    ['AUXILIARY_APPINFO', handout.auxiliaryAppInfo],
    ['CHAOS_NAMESPACE', handout.namespace],
    ['RUN_ID', status?.runId],
    ...Object.entries(handout.otel),
    ['TRACE_PARENT', runnerTraceParent(engine, handout.otel)],
    ['PROTECTED_NAMESPACES', handout.protectedNamespaces],
    ['ANNOTATION_KEY', handout.annotationKey],
    [KNOWN_IMAGES_VARIABLE, knownImagesText(defaults.knownImages ?? [])],
    [OWN_IMAGE_VARIABLE, defaults.ownImage?.name],
    [OWN_IMAGE_PULL_POLICY_VARIABLE, defaults.ownImage?.pullPolicy],
  ];
  return values.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{ name, value }]));
}

/** Volumes are named by kind and position: a config map's own name may be longer than a volume's may. */
function runnerVolumes({ spec }: ChaosEngine): { volumes: Volume[]; mounts: VolumeMount[] } {
  const { configMaps, secrets } = spec.components?.runner ?? {};
  const volumes: Volume[] = [];
  const mounts: VolumeMount[] = [];
  for (const [index, { name, mountPath }] of (configMaps ?? []).entries()) {
    if (!name || !mountPath) continue;
    volumes.push({ name: `config-map-${index}`, configMap: { name } });
    mounts.push({ name: `config-map-${index}`, mountPath });
  }
  for (const [index, { name, mountPath }] of (secrets ?? []).entries()) {
    if (!name || !mountPath) continue;
    volumes.push({ name: `secret-${index}`, secret: { secretName: name } });
    mounts.push({ name: `secret-${index}`, mountPath });
  }
  return { volumes, mounts };
}

/** A copy without the fields that are undefined, empty lists or empty objects. */
function dropEmpty<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(([, field]) => {
    if (field === undefined || field === null || field === '') return false;
    if (Array.isArray(field)) return field.length > 0;
    return typeof field !== 'object' || Object.keys(field).length > 0;
  });
  // Only fields that are optional in T can be empty here; the required ones always have a value.
  return Object.fromEntries(entries) as T;
}
