import type { Container, Volume } from '@turnsole/kube/kinds/core';
import { isObject } from '@turnsole/kube/text/json';
import type { Template } from '../kinds/template.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { PodError } from './pod-error.ts';
import type { SpecOfPods } from './spec-with-names.ts';

/**
 * The volumes that containers mount: of the template, of the workflow, and claims of its claim templates. A pod gets no others, so
 * that a volume which one step needs does not hold back the rest.
 *
 * @throws PodError for a mount of a volume that is not declared
 */
export function mountedVolumes(
  containers: readonly Container[],
  workflow: Workflow,
  spec: Pick<SpecOfPods, 'volumes' | 'volumeClaimTemplates'>,
  template: Template,
  ours: readonly Volume[],
): Volume[] {
  const declared = [...ours, ...(template.volumes ?? []), ...(spec.volumes ?? []), ...claims(workflow, spec)];
  const found = new Map<string, Volume>();
  for (const { name: container, volumeMounts = [], volumeDevices = [] } of containers) {
    for (const { name } of [...volumeMounts, ...volumeDevices]) {
      const volume = declared.find((candidate) => candidate.name === name);
      if (volume === undefined)
        throw new PodError(
          `container ${container} mounts the volume ${name}, and neither template nor workflow declares it: add it to \`volumes\``,
        );
      found.set(name, volume);
    }
  }
  return [...found.values()];
}

/** The claims that the workflow made; before its status names them, as they are going to be named. */
function claims({ metadata, status }: Workflow, spec: Pick<SpecOfPods, 'volumeClaimTemplates'>): Volume[] {
  const made = status?.persistentVolumeClaims ?? [];
  const named = (spec.volumeClaimTemplates ?? []).filter(isObject).map((claim): Volume => {
    const name = isObject(claim['metadata']) ? String(claim['metadata']['name'] ?? '') : '';
    return { name, persistentVolumeClaim: { claimName: `${metadata.name}-${name}` } };
  });
  return [...made, ...named];
}
