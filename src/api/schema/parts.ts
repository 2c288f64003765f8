/** Pieces that several kinds share. */

import type { Condition } from '../conditions.ts';
import type { EnvFromSource, EnvVar, LocalObjectReference, Toleration } from '../core.ts';
import type { TimelineEntry } from '../timeline.ts';
import { choice, fields, list, listOf, opaque, optional, text, textMap, whole } from './build.ts';
import { PULL_POLICIES } from './vocabulary.ts';

/** Environment variables of a container. */
export const envSchema = listOf<EnvVar>(
  'Environment variables; later entries of the same name win.',
  {
    name: text('Name of the variable.', { minLength: 1 }),
    value: text('Its value; always text, so numbers and booleans need quotes in YAML.'),
    valueFrom: opaque('Where the value comes from instead: a config map, a secret, a field of the pod.'),
  },
  ['name'],
);

/** Whole config maps and secrets as environment variables. */
export const envFromSchema = listOf<EnvFromSource>('Config maps and secrets whose keys become variables.');

/** When the image is pulled. */
export const pullPolicySchema = choice('When the image is pulled.', ['', ...PULL_POLICIES]);

/** Secrets with registry credentials. */
export const pullSecretsSchema = listOf<LocalObjectReference>(
  'Secrets with credentials of the image registry.',
  {
    name: text('Name of the secret.'),
  },
);

/** Tolerations of a pod. */
export const tolerationsSchema = listOf<Toleration>('Node taints that the pod tolerates.', {
  key: text('Taint key; empty with operator Exists means every key.'),
  operator: text('Exists or Equal.'),
  value: text('Taint value, with operator Equal.'),
  effect: text('NoSchedule, PreferNoSchedule or NoExecute; empty means all.'),
  tolerationSeconds: whole('How long a NoExecute taint is tolerated.', { format: 'int64' }),
});

/** A config map to mount. Incomplete entries are accepted here: the runner reports them and skips the experiment. */
const configMapMountSchema = fields('A config map to mount.', {
  name: optional(text('Name of the config map.')),
  mountPath: optional(text('Where it is mounted.')),
  data: optional(textMap('Content; the config map is created from it when it is missing.')),
});

/** A secret to mount. Incomplete entries are accepted here, as with config maps. */
const secretMountSchema = fields('A secret to mount.', {
  name: optional(text('Name of the secret.')),
  mountPath: optional(text('Where it is mounted.')),
});

/** The steps of a run; readers take care of an absent list. */
export const timelineSchema = listOf<TimelineEntry>('What was done, step by step; append-only.', {
  time: text('When, RFC 3339 with milliseconds.'),
  actor: text('Who did it.'),
  step: text('CamelCase step.'),
  object: text('kind/namespace/name of the object acted on.'),
  message: text('A sentence for people.'),
  runId: text('The run this entry belongs to.'),
});

/** Typed status lines, at most one per type. */
export const conditionsSchema = listOf<Condition>(
  'Typed status lines, at most one per type.',
  {
    type: text('CamelCase type.'),
    status: text('True, False or Unknown.'),
    reason: text('CamelCase cause.'),
    message: text('A sentence for people.'),
    lastTransitionTime: text('When the status last changed, RFC 3339.'),
    observedGeneration: whole('metadata.generation of the object that was judged.', { format: 'int64' }),
  },
  ['type', 'status'],
);

/** Config maps to mount. */
export const configMapsSchema = list('Config maps to mount.', configMapMountSchema);

/** Secrets to mount. */
export const secretsSchema = list('Secrets to mount.', secretMountSchema);
