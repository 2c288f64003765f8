/** Pieces that several kinds share. */

import type { Condition } from '@turnsole/kube/kinds/conditions';
import type { EnvFromSource, EnvVar, LocalObjectReference, Toleration } from '@turnsole/kube/kinds/core';
import type { TimelineEntry } from '../timeline.ts';
import { choice, fields, list, listOf, opaque, optional, text, textMap, whole } from './build.ts';
import { PULL_POLICIES } from './vocabulary.ts';

/** Environment variables of a container. */
export const envSchema = listOf<EnvVar>(
  'Environment variables of the container. Where several entries have the same name, the last one wins. Default: none.',
  {
    name: text('Name of the variable.', { minLength: 1 }),
    value: text(
      'Value of the variable. It is always a text, so numbers and booleans need quotes in YAML. Absent and without valueFrom: empty.',
    ),
    valueFrom: opaque(
      'Where the value comes from, instead of value: a key of a config map or secret, or a field of the pod.',
    ),
  },
  ['name'],
);

/** Whole config maps and secrets as environment variables. */
export const envFromSchema = listOf<EnvFromSource>(
  'Config maps and secrets whose keys all become environment variables of the container. Default: none.',
);

/** When the image is pulled. */
export const pullPolicySchema = choice(
  'When the kubelet pulls the image. Default: IfNotPresent for a runner or sidecar, Always for an experiment; LIB_IMAGE_PULL_POLICY of the experiment for the source pod of a cmdProbe.',
  ['', ...PULL_POLICIES],
);

/** Secrets with registry credentials. */
export const pullSecretsSchema = listOf<LocalObjectReference>(
  'Secrets of the same namespace with credentials for the image registry. Default: none.',
  {
    name: text('Name of the secret.'),
  },
);

/** Tolerations of a pod. */
export const tolerationsSchema = listOf<Toleration>(
  'Taints of nodes that the pod tolerates. Default: none.',
  {
    key: text('Key of the taint. Empty, together with operator Exists: every taint.'),
    operator: text('Equal (default): key and value of the taint must be the same; Exists: only the key.'),
    value: text('Value of the taint, for operator Equal.'),
    effect: text(
      'Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute. Absent or empty: every effect.',
    ),
    tolerationSeconds: whole('Seconds for which a NoExecute taint is tolerated. Absent: for ever.', {
      format: 'int64',
    }),
  },
);

/** A config map to mount. Incomplete entries are accepted here: the runner reports them and skips the experiment. */
const configMapMountSchema = fields('A config map that is mounted into the container.', {
  name: optional(text('Name of the config map; required.')),
  mountPath: optional(text('Folder of the container at which the config map is mounted; required.')),
  data: optional(
    textMap(
      'Content of the config map of an experiment: when the config map does not exist, it is created with this content and deleted with the engine. Absent: the config map must exist.',
    ),
  ),
});

/** A secret to mount. Incomplete entries are accepted here, as with config maps. */
const secretMountSchema = fields('A secret that is mounted into the container.', {
  name: optional(text('Name of the secret; required.')),
  mountPath: optional(text('Folder of the container at which the secret is mounted; required.')),
});

/** The steps of a run; readers take care of an absent list. */
export function timelineOf(description: string) {
  return listOf<TimelineEntry>(description, {
    time: text('When the step was taken, RFC 3339 with milliseconds.'),
    actor: text(
      'Who took the step: operator, runner, experiment/<name>, helper/<pod>, probe/<name> or user.',
    ),
    step: text(
      'The step as one CamelCase word, such as JobCreated, ChaosStarted, Injected, Reverted, Verdict.',
    ),
    object: text('<kind>/<namespace>/<name> of the object that was acted on. Absent: there is none.'),
    message: text('What was done, as a sentence for people.'),
    runId: text('Id of the run that the step belongs to.'),
  });
}

/** Typed status lines, at most one per type. */
export const conditionsSchema = listOf<Condition>(
  'Conditions as in all kinds of Kubernetes: what is known of the object now, at most one entry per type.',
  {
    type: text('What the condition is about, as one CamelCase word.'),
    status: text('Whether the condition holds: True, False or Unknown.'),
    reason: text('Why it has this status, as one CamelCase word for programs.'),
    message: text('Why it has this status, as a sentence for people.'),
    lastTransitionTime: text(
      'When status last changed, RFC 3339; a change of reason or message alone does not count.',
    ),
    observedGeneration: whole(
      'metadata.generation of the object that the condition was set for. Absent: not known.',
      { format: 'int64' },
    ),
  },
  ['type', 'status'],
);

/** Config maps to mount. */
export const configMapsSchema = list(
  'Config maps that are mounted into the container. An incomplete entry of the runner pod is left out; one of an experiment makes the runner skip it. Default: none.',
  configMapMountSchema,
);

/** Secrets to mount. */
export const secretsSchema = list(
  'Secrets that are mounted into the container. An incomplete entry of the runner pod is left out; one of an experiment or its sidecar makes the runner skip the experiment. Default: none.',
  secretMountSchema,
);
