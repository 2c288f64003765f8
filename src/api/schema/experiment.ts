/** ChaosExperiment: the packaged definition of one fault. */
import Type from 'typebox';
import type { ObjectMeta, PodSecurityContext, PolicyRule, SecurityContext } from '../core.ts';
import { choice, fields, flag, list, listOf, opaque, optional, text, textMap, texts } from './build.ts';
import { configMapsSchema, envSchema, pullPolicySchema, secretsSchema } from './parts.ts';
import { EXPERIMENT_SCOPES } from './vocabulary.ts';

/** A file or folder of the node to mount. Incomplete entries are accepted here: the runner skips the experiment. */
const hostFileVolumeSchema = fields('A file or folder of the node to mount.', {
  name: optional(text('Name of the volume.')),
  mountPath: optional(text('Where it is mounted.')),
  nodePath: optional(text('Path on the node.')),
  type: optional(text('What must be there, as in a hostPath volume.')),
});

/** How the fault's pod is made. */
const experimentDefinitionSchema = fields('How the pod of the experiment is made.', {
  labels: optional(textMap('Labels of Job and pod.')),
  image: optional(text('Image of the experiment.')),
  imagePullPolicy: optional(pullPolicySchema),
  scope: optional(choice('Reach of the experiment.', ['', ...EXPERIMENT_SCOPES])),
  permissions: optional(
    listOf<PolicyRule>(
      'What its service account must be allowed to do.',
      {
        apiGroups: texts('API groups.'),
        resources: texts('Resources.'),
        verbs: texts('Verbs.'),
        resourceNames: texts('Names; empty means all.'),
        nonResourceURLs: texts('Paths that are no resources.'),
      },
      ['verbs'],
    ),
  ),
  env: optional(envSchema),
  command: optional(texts('Command of the container.')),
  args: optional(texts('Arguments of the container.')),
  configMaps: optional(configMapsSchema),
  secrets: optional(secretsSchema),
  hostFileVolumes: optional(list('Files and folders of the node to mount.', hostFileVolumeSchema)),
  experimentAnnotations: optional(textMap('Annotations of the experiment pod.')),
  securityContext: optional(
    fields('Security of pod and container.', {
      podSecurityContext: optional(opaque<PodSecurityContext>('Of the pod.')),
      containerSecurityContext: optional(opaque<SecurityContext>('Of the container.')),
    }),
  ),
  hostPID: optional(flag('Use the process table of the node.')),
});

/** The whole object. */
export const chaosExperimentSchema = Type.Object(
  {
    apiVersion: optional(text('Version of the schema of this object.')),
    kind: optional(text('Kind of this object.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    description: optional(textMap('What the fault does, under the key message.')),
    spec: fields('The experiment.', { definition: experimentDefinitionSchema }),
    status: optional(opaque<Record<string, unknown>>('Not used.')),
  },
  { description: 'The packaged definition of one fault.' },
);

/** The packaged definition of one fault. */
export type ChaosExperiment = Type.Static<typeof chaosExperimentSchema>;
export type ExperimentDefinition = Type.Static<typeof experimentDefinitionSchema>;
