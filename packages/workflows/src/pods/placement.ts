import type { PodSpec } from '@turnsole/kube/kinds/core';
import { isObject } from '@turnsole/kube/text/json';
import type { PodFields } from '../kinds/pod-fields.ts';

type Placement = Pick<PodSpec, 'nodeSelector' | 'tolerations' | 'affinity'>;

/**
 * Where a pod may run. Of each field, the first that is not empty is taken whole: of the template, of the enclosing steps or dag, of
 * the workflow. Hosts to avoid are excluded besides.
 */
export function placement(
  from: readonly (PodFields | undefined)[],
  avoidHosts: readonly string[] = [],
): Placement {
  const first = <Field extends keyof Placement>(field: Field): Placement[Field] =>
    from.map((fields) => fields?.[field]).find((value) => !isEmpty(value));
  return {
    nodeSelector: first('nodeSelector'),
    tolerations: first('tolerations'),
    affinity: awayFrom(avoidHosts, first('affinity')),
  };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

/** Terms are alternatives, so each of them has to exclude the hosts. By name of the node: its hostname label may say something else. */
function awayFrom(hosts: readonly string[], affinity: PodSpec['affinity']): PodSpec['affinity'] {
  if (hosts.length === 0) return affinity;
  const matchFields = hosts.map((host) => ({ key: 'metadata.name', operator: 'NotIn', values: [host] }));
  const { nodeAffinity } = affinity ?? {};
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  return {
    ...affinity,
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        ...required,
        nodeSelectorTerms: (terms.length === 0 ? [{}] : terms).map((term) => ({
          ...term,
          matchFields: [...(term.matchFields ?? []), ...matchFields],
        })),
      },
    },
  };
}
