/** ChaosEngine: what to run, against which application, and how far the run is. */
import Type from 'typebox';
import type { ObjectMeta, ResourceRequirements } from '../core.ts';
import { MAX_STEPS } from '../max-steps.ts';
import { choice, fields, flag, list, opaque, optional, text, textMap, texts, whole, word } from './build.ts';
import {
  conditionsSchema,
  configMapsSchema,
  envFromSchema,
  envSchema,
  pullPolicySchema,
  pullSecretsSchema,
  secretsSchema,
  timelineSchema,
  tolerationsSchema,
} from './parts.ts';
import { probeSchema } from './probe.ts';
import {
  APP_KINDS,
  CLEAN_UP_POLICIES,
  ENGINE_STATES,
  type EngineStatus,
  type EngineVerdict,
  EXECUTION_ORDERS,
  type ExperimentStatus,
  ON_FAILURES,
} from './vocabulary.ts';

/** A day, in seconds: no single wait of a run is longer. */
const MAX_WAIT_SECONDS = 86_400;

/** The application under test, by label. */
const appInfoSchema = fields('The application under test, by label; or leave it out.', {
  appns: optional(text('Namespace; empty means the namespace of the engine.')),
  applabel: optional(text('Label selector of the workload.')),
  appkind: optional(choice('Kind of the workload.', ['', ...APP_KINDS])),
});

/** The application under test, by name or by several selectors. */
const selectorsSchema = fields('Targets by workload or by pod name; replaces appinfo.', {
  workloads: optional(
    list(
      'Workloads.',
      fields('Workloads of one kind in one namespace, by names or by labels.', {
        kind: choice('Kind of the workload.', ['', ...APP_KINDS]),
        namespace: text('Namespace of the workload.'),
        names: optional(text('Names, separated by commas.')),
        labels: optional(text('Label selector.')),
      }),
    ),
  ),
  pods: optional(
    list(
      'Pods.',
      fields('Pods of one namespace, by names.', {
        namespace: text('Namespace of the pods.'),
        names: text('Names, separated by commas.'),
      }),
    ),
  ),
});

/** The runner pod. */
const runnerSchema = fields('Settings of the runner pod.', {
  image: optional(text('Image of the runner.')),
  type: optional(choice('Kind of runner; there is one.', ['', 'go'])),
  args: optional(texts('Arguments of the container.')),
  command: optional(texts('Command of the container.')),
  imagePullPolicy: optional(pullPolicySchema),
  imagePullSecrets: optional(pullSecretsSchema),
  runnerAnnotations: optional(textMap('Annotations of the pod.')),
  runnerLabels: optional(textMap('Further labels of the pod.')),
  nodeSelector: optional(textMap('Labels of the node it may run on.')),
  configMaps: optional(configMapsSchema),
  secrets: optional(secretsSchema),
  tolerations: optional(tolerationsSchema),
  resources: optional(opaque<ResourceRequirements>('Requests and limits.')),
});

/** The exporter of an engine with `monitoring: true`. */
const monitorSchema = fields('Settings of the pod <engine>-monitor.', {
  image: optional(text('Image of the exporter.')),
});

/** A container beside the experiment. */
const sidecarSchema = fields('A container beside the experiment.', {
  image: optional(text('Image of the container.')),
  imagePullPolicy: optional(pullPolicySchema),
  secrets: optional(secretsSchema),
  envFrom: optional(envFromSchema),
  env: optional(envSchema),
});

/** What one engine changes of a ChaosExperiment. */
const experimentComponentsSchema = fields('What this engine changes of the ChaosExperiment.', {
  env: optional(envSchema),
  configMaps: optional(configMapsSchema),
  secrets: optional(secretsSchema),
  experimentAnnotations: optional(textMap('Annotations of the experiment pod.')),
  experimentImage: optional(text('Image of the experiment.')),
  experimentImagePullSecrets: optional(pullSecretsSchema),
  nodeSelector: optional(textMap('Labels of the node it may run on.')),
  statusCheckTimeouts: optional(
    fields('How long the application may take to be healthy.', {
      delay: optional(whole('Seconds between two checks.', { minimum: 0, maximum: MAX_WAIT_SECONDS })),
      timeout: optional(
        whole('Seconds after which the check fails.', { minimum: 0, maximum: MAX_WAIT_SECONDS }),
      ),
    }),
  ),
  resources: optional(opaque<ResourceRequirements>('Requests and limits.')),
  tolerations: optional(tolerationsSchema),
});

/** One experiment of an engine. */
const engineExperimentSchema = fields('One experiment to run.', {
  name: text('Name of the ChaosExperiment in the namespace of the engine.', { minLength: 1 }),
  spec: optional(
    fields('Settings of this experiment.', {
      components: optional(experimentComponentsSchema),
      probe: optional(list('Checks of steady state.', probeSchema)),
    }),
  ),
  dependsOn: optional(texts('Experiments of this engine that must have ended before this one starts.')),
});

/** How the experiments of one engine follow each other. */
const executionSchema = fields('How the experiments follow each other; absent: in order.', {
  order: optional(choice('Order of the experiments.', EXECUTION_ORDERS)),
  maxParallel: optional(
    whole('Most experiments at a time, with order parallel.', { minimum: 1, maximum: MAX_STEPS }),
  ),
  seed: optional(
    Type.Unsafe<number | string>({
      'x-kubernetes-int-or-string': true,
      description: 'Makes the random order repeatable.',
    }),
  ),
  iterations: optional(whole('How often the whole list is run.', { minimum: 1, maximum: MAX_STEPS })),
  minInterval: optional(text('Least time from the start of one iteration to that of the next (duration).')),
  onFailure: optional(choice('What a failed experiment does to those not yet started.', ON_FAILURES)),
});

/** Everything a user says about a run. */
export const chaosEngineSpecSchema = fields('What to run, and against what.', {
  appinfo: optional(appInfoSchema),
  selectors: optional(selectorsSchema),
  defaultHealthCheck: optional(flag('Check the health of the application before and after.')),
  chaosServiceAccount: optional(text('Service account of runner and experiments.')),
  components: optional(
    fields('Settings of the pods of the run.', {
      runner: optional(runnerSchema),
      monitor: optional(monitorSchema),
      sidecar: optional(list('Containers beside each experiment.', sidecarSchema)),
    }),
  ),
  experiments: list('What is run.', engineExperimentSchema),
  jobCleanUpPolicy: optional(choice('What happens to ended Jobs and pods.', ['', ...CLEAN_UP_POLICIES])),
  auxiliaryAppInfo: optional(text('Further applications to check: namespace:label,namespace:label.')),
  engineState: optional(choice('active runs the engine, stop aborts it.', ['', ...ENGINE_STATES])),
  terminationGracePeriodSeconds: optional(
    whole('Grace period of the pods of the run.', {
      format: 'int64',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
    }),
  ),
  monitoring: optional(flag('Older: metrics of this engine from a pod and service <engine>-monitor.')),
  annotationCheck: optional(text('Older: "true" targets only applications that opted in by annotation.')),
  execution: optional(executionSchema),
  dryRun: optional(flag('Plan only: resolve targets and check permissions, inject nothing.')),
  requireEffect: optional(
    flag('A fault that is known to have had no effect is a Fail, also when all probes passed.'),
  ),
});

/** How far one experiment of an engine is. Upstream's clients write `lastUpdateTime: null` before the first update. */
const engineExperimentStatusSchema = fields('How far one experiment is.', {
  name: text('Name of the experiment.'),
  runner: text('Name of the runner pod.'),
  experimentPod: text('Name of the experiment pod, or why there is none.'),
  status: word<ExperimentStatus>('How far it is.'),
  verdict: word<EngineVerdict>('The judgement.'),
  lastUpdateTime: optional(text('Time of the last change.', { nullable: true })),
  iteration: optional(
    whole('Which time the list is run, from 1, when spec.execution.iterations asks for several.', {
      minimum: 1,
    }),
  ),
  reason: optional(text('Why it was skipped, cannot start or ended without a judgement of its own.')),
});

/** How far an engine is. Upstream's clients write `experiments: null` for an empty list: read it with `?? []`. */
const chaosEngineStatusSchema = fields('How far the run is.', {
  engineStatus: optional(word<EngineStatus | ''>('initialized, completed or stopped.')),
  verdict: optional(word<EngineVerdict>('That of the worst experiment, when the run has ended.')),
  experiments: optional(
    list('How far each experiment is.', engineExperimentStatusSchema, { nullable: true }),
  ),
  runId: optional(text('Identifies this run among all runs of the engine.')),
  runnerAttempts: optional(whole('Runner pods that were needed for this run so far.')),
  allStarted: optional(text('Id of the run in which the runner has started all that it starts.')),
  conditions: optional(conditionsSchema),
  timeline: optional(timelineSchema),
});

/** The whole object. */
export const chaosEngineSchema = Type.Object(
  {
    apiVersion: optional(text('Version of the schema of this object.')),
    kind: optional(text('Kind of this object.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: chaosEngineSpecSchema,
    status: optional(chaosEngineStatusSchema),
  },
  { description: 'A run of chaos experiments against an application.' },
);

/** A run of chaos experiments against an application. */
export type ChaosEngine = Type.Static<typeof chaosEngineSchema>;
export type ChaosEngineSpec = Type.Static<typeof chaosEngineSpecSchema>;
export type ChaosEngineStatus = Type.Static<typeof chaosEngineStatusSchema>;
export type EngineExperiment = Type.Static<typeof engineExperimentSchema>;
export type EngineExperimentStatus = Type.Static<typeof engineExperimentStatusSchema>;
export type ExperimentComponents = Type.Static<typeof experimentComponentsSchema>;
export type Execution = Type.Static<typeof executionSchema>;
export type AppInfo = Type.Static<typeof appInfoSchema>;
export type Selectors = Type.Static<typeof selectorsSchema>;
export type RunnerComponent = Type.Static<typeof runnerSchema>;
export type Sidecar = Type.Static<typeof sidecarSchema>;
