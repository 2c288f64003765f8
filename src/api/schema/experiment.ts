/** ChaosExperiment: the packaged definition of one fault. */

import type { ObjectMeta, PodSecurityContext, PolicyRule, SecurityContext } from '@turnsole/kube/kinds/core';
import Type from 'typebox';
import { choice, fields, flag, list, listOf, opaque, optional, text, textMap, texts } from './build.ts';
import { configMapsSchema, envSchema, pullPolicySchema, secretsSchema } from './parts.ts';
import { EXPERIMENT_SCOPES } from './vocabulary.ts';

/** A file or folder of the node to mount. Incomplete entries are accepted here: the runner skips the experiment. */
const hostFileVolumeSchema = fields(
  'A file or folder of the node that is mounted into the experiment container.',
  {
    name: optional(text('Name of the entry, for messages; required.')),
    mountPath: optional(text('Path in the container at which it is mounted; required.')),
    nodePath: optional(text('Path of the file or folder on the node; required.')),
    type: optional(
      text(
        'What must be at that path of the node, as in a hostPath volume: Directory, File, DirectoryOrCreate… Absent or empty: it is not checked.',
      ),
    ),
  },
);

/** How the fault's pod is made. */
const experimentDefinitionSchema = fields('How the Job and the pod of the experiment are made.', {
  labels: optional(
    textMap('Labels of the Job and the pod of the experiment; labels of the engine win. Default: none.'),
  ),
  image: optional(text('Image of the experiment; required, unless the engine names one (experimentImage).')),
  imagePullPolicy: optional(pullPolicySchema),
  scope: optional(
    choice(
      'Whether the experiment acts on its namespace or on the whole cluster. For information; it changes nothing.',
      ['', ...EXPERIMENT_SCOPES],
    ),
  ),
  permissions: optional(
    listOf<PolicyRule>(
      'What the service account of the experiment must be allowed to do. It grants nothing: Roles are written by it, and the admission webhook compares it with what the account may do.',
      {
        apiGroups: texts('API groups of the resources; the empty text is the core group.'),
        resources: texts('Plural names of the resources, such as pods or pods/exec.'),
        verbs: texts('What is done with the resources: get, list, watch, create, update, patch, delete…'),
        resourceNames: texts('Names of the objects. Absent or empty: all objects.'),
        nonResourceURLs: texts(
          'Paths of the API server that are not resources, such as /healthz. Default: none.',
        ),
      },
      ['verbs'],
    ),
  ),
  env: optional(envSchema),
  command: optional(texts('Command of the experiment container. Absent: that of the image.')),
  args: optional(texts('Arguments of the experiment container. Absent: those of the image.')),
  configMaps: optional(configMapsSchema),
  secrets: optional(secretsSchema),
  hostFileVolumes: optional(
    list(
      'Files and folders of the node that are mounted into the experiment container. An incomplete entry makes the runner skip the experiment. Default: none.',
      hostFileVolumeSchema,
    ),
  ),
  experimentAnnotations: optional(
    textMap('Annotations of the Job and the pod of the experiment; those of the engine win. Default: none.'),
  ),
  securityContext: optional(
    fields(
      'Security settings of the experiment pod; those of the first experiment of an engine also apply to the runner pod. Default: none.',
      {
        podSecurityContext: optional(opaque<PodSecurityContext>('securityContext of the pod.')),
        containerSecurityContext: optional(opaque<SecurityContext>('securityContext of the container.')),
      },
    ),
  ),
  hostPID: optional(flag('true: the experiment pod sees the processes of its node. Default: false.')),
});

/** The whole object. */
export const chaosExperimentSchema = Type.Object(
  {
    apiVersion: optional(text('API group and version of the object: litmuschaos.io/v1alpha1.')),
    kind: optional(text('Kind of the object: ChaosExperiment.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    description: optional(
      textMap('What the fault does, as a text under the key message. Absent: not described.'),
    ),
    spec: fields('Definition of the experiment.', { definition: experimentDefinitionSchema }),
    status: optional(
      opaque<Record<string, unknown>>('Not used by Turnsole; kept for programs that write it.'),
    ),
  },
  { description: 'The packaged definition of one fault.' },
);

/** The packaged definition of one fault. */
export type ChaosExperiment = Type.Static<typeof chaosExperimentSchema>;
export type ExperimentDefinition = Type.Static<typeof experimentDefinitionSchema>;
