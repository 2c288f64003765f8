import type { PodTemplateSpec } from '@turnsole/kube/kinds/core';
import type { InstallObject } from '../install-object.ts';
import type { Registration } from './registration.ts';

/** A Deployment whose pods run where the registration lets them; other objects as they are. Pure. */
export function onNodes(
  object: InstallObject,
  { nodeSelector, tolerations }: Pick<Registration, 'nodeSelector' | 'tolerations'>,
): InstallObject {
  if (object.kind !== 'Deployment') return object;
  // Made by this folder's neighbours, each with a template.
  const spec = object.spec as { readonly template: PodTemplateSpec };
  const place = {
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length > 0 && { tolerations: [...tolerations] }),
  };
  const template = { ...spec.template, spec: { ...spec.template.spec, ...place } };
  return { ...object, spec: { ...spec, template } };
}
