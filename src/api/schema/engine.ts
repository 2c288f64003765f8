/** ChaosEngine: what to run, against which application, and how far the run is. */

import type { ObjectMeta, ResourceRequirements } from '@turnsole/kube/kinds/core';
import Type from 'typebox';
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
  timelineOf,
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
const appInfoSchema = fields(
  'The application under test, by kind and label; spec.selectors wins over it. Present but empty: every pod of the namespace of the engine. Absent, and no selectors either: TARGETS is empty, and an experiment that needs targets ends with an error.',
  {
    appns: optional(text('Namespace of the application. Absent or empty: the namespace of the engine.')),
    applabel: optional(
      text(
        'Label selector of the pods of the application (of the workloads, for faults of workloads), such as app=cart. Given together with appkind, or neither is given.',
      ),
    ),
    appkind: optional(
      choice(
        'Kind of the workload that the pods belong to. Given together with applabel, or neither is given.',
        ['', ...APP_KINDS],
      ),
    ),
  },
);

/** The application under test, by name or by several selectors. */
const selectorsSchema = fields(
  'The application under test, by the names or labels of workloads or by the names of pods; at least one of both lists has an entry. Absent: spec.appinfo names the application.',
  {
    workloads: optional(
      list(
        'Workloads whose pods are the targets. Absent: only the entries of pods count.',
        fields('Workloads of one kind in one namespace, by names or by labels.', {
          kind: choice('Kind of the workloads; required.', ['', ...APP_KINDS]),
          namespace: text('Namespace of the workloads; required.'),
          names: optional(text('Names of the workloads, separated by commas; give either names or labels.')),
          labels: optional(
            text('Label selector, as in appinfo.applabel, such as app=cart; give either names or labels.'),
          ),
        }),
      ),
    ),
    pods: optional(
      list(
        'Pods that are the targets. Absent: only the entries of workloads count.',
        fields('Pods of one namespace, by names.', {
          namespace: text('Namespace of the pods; required.'),
          names: text('Names of the pods, separated by commas; at least one.'),
        }),
      ),
    ),
  },
);

/** The runner pod. */
const runnerSchema = fields('Settings of the runner pod, which starts the experiments of the engine.', {
  image: optional(text('Image of the runner. Default: the runner image of the operator.')),
  type: optional(
    choice('Kind of runner; there is only one kind, and the field changes nothing.', ['', 'go']),
  ),
  args: optional(texts('Arguments of the runner container. Absent: those of the image.')),
  command: optional(texts('Command of the runner container. Absent: that of the image.')),
  imagePullPolicy: optional(pullPolicySchema),
  imagePullSecrets: optional(pullSecretsSchema),
  runnerAnnotations: optional(textMap('Annotations of the runner pod. Default: none.')),
  runnerLabels: optional(
    textMap(
      'Labels of the runner pod besides those that the operator sets; chaosUID and the run id cannot be replaced. Default: none.',
    ),
  ),
  nodeSelector: optional(
    textMap('Labels that a node must have for the runner pod to run on it. Absent: any node.'),
  ),
  configMaps: optional(configMapsSchema),
  secrets: optional(secretsSchema),
  tolerations: optional(tolerationsSchema),
  resources: optional(
    opaque<ResourceRequirements>('Requests and limits of the runner container. Default: none.'),
  ),
});

/** The exporter of an engine with `monitoring: true`. */
const monitorSchema = fields(
  'Settings of the pod <engine>-monitor, which serves the metrics of the engine when spec.monitoring is true.',
  {
    image: optional(text('Image of the exporter. Default: the exporter image of the operator.')),
  },
);

/** A container beside the experiment. */
const sidecarSchema = fields('A container that runs beside the experiment in its pod.', {
  image: optional(text('Image of the sidecar; without it the experiment is skipped.')),
  imagePullPolicy: optional(pullPolicySchema),
  secrets: optional(secretsSchema),
  envFrom: optional(envFromSchema),
  env: optional(envSchema),
});

/** What one engine changes of a ChaosExperiment. */
const experimentComponentsSchema = fields(
  'What this engine changes of the ChaosExperiment. Absent fields keep what the ChaosExperiment says.',
  {
    env: optional(envSchema),
    configMaps: optional(configMapsSchema),
    secrets: optional(secretsSchema),
    experimentAnnotations: optional(
      textMap(
        'Annotations of the Job and the pod of the experiment, added to those of the ChaosExperiment; those given here win.',
      ),
    ),
    experimentImage: optional(text('Image of the experiment. Absent: that of the ChaosExperiment.')),
    experimentImagePullSecrets: optional(pullSecretsSchema),
    nodeSelector: optional(
      textMap('Labels that a node must have for the experiment pod to run on it. Absent: any node.'),
    ),
    statusCheckTimeouts: optional(
      fields(
        'How long the experiment waits for the application to be healthy, before and after chaos, and for its own pods to be ready.',
        {
          delay: optional(
            whole(
              'Accepted and handed on as STATUS_CHECK_DELAY (seconds, default 2); the waits of Turnsole follow changes and do not need it.',
              { minimum: 0, maximum: MAX_WAIT_SECONDS },
            ),
          ),
          timeout: optional(
            whole('Seconds after which such a wait fails. Absent or 0: 180.', {
              minimum: 0,
              maximum: MAX_WAIT_SECONDS,
            }),
          ),
        },
      ),
    ),
    resources: optional(
      opaque<ResourceRequirements>('Requests and limits of the experiment container. Default: none.'),
    ),
    tolerations: optional(tolerationsSchema),
  },
);

/** One experiment of an engine. */
const engineExperimentSchema = fields('One experiment that the engine runs.', {
  name: text(
    'Name of the ChaosExperiment, which must exist in the namespace of the engine. No two entries of an engine have the same name.',
    { minLength: 1 },
  ),
  spec: optional(
    fields(
      'What this engine sets for the experiment. Absent: the experiment runs as its ChaosExperiment says, without probes.',
      {
        components: optional(experimentComponentsSchema),
        probe: optional(
          list(
            'Probes: checks of steady state that decide the verdict together with the fault. Absent: the verdict depends on the fault alone.',
            probeSchema,
          ),
        ),
      },
    ),
  ),
  dependsOn: optional(
    texts(
      'Names of experiments of this engine that must have ended, with any verdict, before this one starts. Default: none.',
    ),
  ),
});

/** How the experiments of one engine follow each other. */
const executionSchema = fields(
  'How the experiments of the engine follow each other. Absent: one after another, once, in the order of the list.',
  {
    order: optional(
      choice(
        'sequential (default): one after another, in the order of the list; parallel: all at once, up to maxParallel; random: one after another, in an order that follows from seed.',
        EXECUTION_ORDERS,
      ),
    ),
    maxParallel: optional(
      whole(
        'With order parallel, how many experiments run at the same time at most. Absent: no limit. Other orders ignore it.',
        { minimum: 1, maximum: MAX_STEPS },
      ),
    ),
    seed: optional(
      Type.Unsafe<number | string>({
        'x-kubernetes-int-or-string': true,
        description:
          'With order random, the same seed gives the same order. Absent: the order follows from the id of the run, so it differs from run to run.',
      }),
    ),
    iterations: optional(
      whole('How many times the whole list of experiments is run. Default: 1.', {
        minimum: 1,
        maximum: MAX_STEPS,
      }),
    ),
    minInterval: optional(
      text(
        'Least time from the start of one iteration to the start of the next, as a duration such as 10m. Absent: an iteration starts as soon as the one before has ended.',
      ),
    ),
    onFailure: optional(
      choice(
        'What happens to experiments that have not started when one ends with a verdict other than Pass. continue (default): they start; stop: they are skipped.',
        ON_FAILURES,
      ),
    ),
  },
);

/** Everything a user says about a run. */
export const chaosEngineSpecSchema = fields('What the engine runs, against which application, and how.', {
  appinfo: optional(appInfoSchema),
  selectors: optional(selectorsSchema),
  defaultHealthCheck: optional(
    flag(
      'true: the experiment checks before and after chaos that the application is healthy, and fails when it is not. Absent: the default of the experiment, which is true unless its ChaosExperiment says otherwise.',
    ),
  ),
  chaosServiceAccount: optional(
    text(
      'Name of the service account that the pods of runner and experiments use. Absent: the default service account of the namespace, which is usually not allowed to do what chaos needs.',
    ),
  ),
  components: optional(
    fields('Settings of the pods that the run consists of.', {
      runner: optional(runnerSchema),
      monitor: optional(monitorSchema),
      sidecar: optional(
        list(
          'Containers that run beside each experiment; used only where the engine has the annotation sidecar/enabled with a value other than "false". Default: none.',
          sidecarSchema,
        ),
      ),
    }),
  ),
  experiments: list('The experiments that the engine runs; at least one.', engineExperimentSchema),
  jobCleanUpPolicy: optional(
    choice(
      'What happens to Jobs and pods of the run when they have ended. retain (default): they stay until the engine is deleted; delete: they are deleted.',
      ['', ...CLEAN_UP_POLICIES],
    ),
  ),
  auxiliaryAppInfo: optional(
    text(
      'Further applications whose health the experiments of nodes and servers check, as namespace:label pairs with commas between them, such as shop:app=cart,shop:app=api. Absent: only the application under test is checked.',
    ),
  ),
  engineState: optional(
    choice(
      'What the user wants of the engine. active (default): it runs; stop: the run is aborted and what it injected is reverted. The operator sets stop when the run has ended; setting active again starts another run.',
      ['', ...ENGINE_STATES],
    ),
  ),
  terminationGracePeriodSeconds: optional(
    whole('Seconds that pods of the run get between the request to end and being killed. Absent or 0: 30.', {
      format: 'int64',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
    }),
  ),
  monitoring: optional(
    flag(
      'true: a pod and a service <engine>-monitor serve the metrics of this engine while it runs. Default: false. From older releases; one exporter can serve the metrics of all engines instead.',
    ),
  ),
  annotationCheck: optional(
    text(
      '"true": only applications are hit whose workload agrees to chaos by the annotation litmuschaos.io/chaos: "true" (the operator may be set to another annotation). Default: "false". From older releases.',
    ),
  ),
  execution: optional(executionSchema),
  dryRun: optional(
    flag(
      'true: targets are resolved and permissions are checked, and nothing is injected; what was found is in status.plan of the ChaosResult. Default: false.',
    ),
  ),
  steadyState: optional(
    choice(
      'What happens when an SOT, Edge or Continuous probe does not hold right before the fault. require: nothing is injected, and the verdict is Error with the code NOT_STEADY. ignore: the fault is injected all the same, and the probe has failed. Default: require.',
      ['require', 'ignore'],
    ),
  ),
  requireEffect: optional(
    flag(
      'true: the verdict is Fail when the fault is known to have had no effect on any target, and Error when no effect is known, even when all probes passed. Default: false; a missing effect is then only reported.',
    ),
  ),
  minimumCoverage: optional(
    whole(
      'Per cent of its time for which a held fault has to be in force on its targets; below it a run that would be Pass is Error (LOW_COVERAGE). Pods that take the place of others count once they are hit. 0: any share will do. Default: 90.',
      { minimum: 0, maximum: 100 },
    ),
  ),
});

/** How far one experiment of an engine is. Upstream's clients write `lastUpdateTime: null` before the first update. */
const engineExperimentStatusSchema = fields('State of one experiment of the run.', {
  name: text('Name of the ChaosExperiment.'),
  runner: text('Name of the runner pod that started the experiment.'),
  experimentPod: text(
    'Name of the experiment pod; "Yet to be launched" before it exists, "N/A" when the experiment was never started.',
  ),
  status: word<ExperimentStatus>(
    'State of the experiment: Waiting for Job Creation, Running, Completed, ChaosExperiment Not Found, Forcefully Aborted or Skipped.',
  ),
  verdict: word<EngineVerdict>(
    'Verdict of the experiment: N/A before it has one, Awaited while it runs, then Pass, Fail, Stopped or Error.',
  ),
  lastUpdateTime: optional(
    text('When this entry last changed, RFC 3339. Absent or null: it has not changed since it was made.', {
      nullable: true,
    }),
  ),
  iteration: optional(
    whole(
      'Iteration that this entry belongs to, counted from 1. Absent unless spec.execution.iterations asks for several.',
      {
        minimum: 1,
      },
    ),
  ),
  reason: optional(
    text(
      'Why the experiment was skipped, cannot start, or ended without a verdict of its own. Absent: nothing of the kind happened.',
    ),
  ),
});

/** How far an engine is. Upstream's clients write `experiments: null` for an empty list: read it with `?? []`. */
const chaosEngineStatusSchema = fields(
  'State of the run, written by the operator and the runner. Absent: the operator has not seen the engine yet.',
  {
    engineStatus: optional(
      word<EngineStatus | ''>(
        'initialized while the run goes on, completed when it has ended by itself, stopped when it was aborted. Absent or empty: the run has not begun.',
      ),
    ),
    verdict: optional(
      word<EngineVerdict>(
        'Verdict of the whole run, which is that of its worst experiment: Error, Fail, Stopped, Awaited, N/A, Pass, from worst to best. Absent: the run has not ended.',
      ),
    ),
    experiments: optional(
      list(
        'State of each experiment, one entry per experiment and iteration. Null or absent means the same as an empty list.',
        engineExperimentStatusSchema,
        { nullable: true },
      ),
    ),
    runId: optional(
      text(
        'Id of the current or last run; each run of the engine has another one. Absent: the engine has not run under an operator that sets it.',
      ),
    ),
    runnerAttempts: optional(
      whole(
        'How many runner pods this run has needed so far; more than 1 when a runner pod was lost and replaced. Absent: 1.',
      ),
    ),
    allStarted: optional(
      text(
        'Set to the id of the run when the runner has started every experiment that it will start, so that an abort need not wait for the runner. Absent, or the id of another run: the runner may still start one.',
      ),
    ),
    conditions: optional(conditionsSchema),
    timeline: optional(
      timelineOf(
        'Steps that operator and runner have taken in the runs of this engine, oldest first; only the last 1000 are kept.',
      ),
    ),
  },
);

/** The whole object. */
export const chaosEngineSchema = Type.Object(
  {
    apiVersion: optional(text('API group and version of the object: litmuschaos.io/v1alpha1.')),
    kind: optional(text('Kind of the object: ChaosEngine.')),
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
