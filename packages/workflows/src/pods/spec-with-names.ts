import { KEEP, renderTags } from '../expression/tags/render.ts';
import type { Template } from '../kinds/template.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import type { PodOwner } from './settings.ts';

const FIELDS = [
  'serviceAccountName',
  'automountServiceAccountToken',
  'securityContext',
  'nodeSelector',
  'tolerations',
  'affinity',
  'schedulerName',
  'hostAliases',
  'podSpecPatch',
  'podResources',
  'resourceClaims',
  'imagePullSecrets',
  'hostNetwork',
  'dnsPolicy',
  'dnsConfig',
  'podPriorityClassName',
  'podMetadata',
  'podGC',
  'volumes',
  'volumeClaimTemplates',
  'archiveLogs',
] as const satisfies readonly (keyof WorkflowSpec)[];

export type SpecOfPods = Pick<WorkflowSpec, (typeof FIELDS)[number]>;

/**
 * The fields of a workflow's spec that become fields of pods, with names of the workflow and inputs of the template in place of their
 * tags: volumes may name a parameter of the template that mounts them. Expressions stay as they are.
 */
export function specWithNames({ spec, library, names }: PodOwner, { inputs }: Template): SpecOfPods {
  const fields = {
    ...Object.fromEntries(FIELDS.map((field) => [field, spec[field]])),
    podMetadata: {
      labels: { ...spec.podMetadata?.labels, ...library?.podMetadata?.labels },
      annotations: { ...spec.podMetadata?.annotations, ...library?.podMetadata?.annotations },
    },
  };
  const parameters = new Map(
    (inputs?.parameters ?? []).map(({ name, value }) => [`inputs.parameters.${name}`, value]),
  );
  const lookup = (name: string): string | undefined => parameters.get(name) ?? names.get(name);
  return JSON.parse(renderTags(JSON.stringify(fields), { lookup, evaluate: () => KEEP }));
}
