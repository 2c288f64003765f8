import type { Container, Pod } from '@turnsole/kube/kinds/core';
import { isQuantity, parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';

/** Facts about a pod that are not in its object when its containers start. */
export interface PodPlacement {
  readonly nodeName: string;
  readonly hostIP: string;
  readonly podIP: string;
  /** Stand in for limits a container does not set: CPUs and bytes of memory. */
  readonly allocatable: { readonly cpus: number; readonly memoryBytes: number };
}

/** Gives the value of a downward API field path, or undefined for an unknown field; pure. */
export function fieldValue(path: string, pod: Pod, placement: PodPlacement): string | undefined {
  const { metadata, spec } = pod;
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return mapText(metadata.labels);
    case 'metadata.annotations':
      return mapText(metadata.annotations);
    case 'spec.nodeName':
      return placement.nodeName;
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? 'default';
    case 'status.hostIP':
    case 'status.hostIPs':
      return placement.hostIP;
    case 'status.podIP':
    case 'status.podIPs':
      return placement.podIP;
    default:
      break;
  }
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (keyed === null) return undefined;
  const map = keyed[1] === 'labels' ? metadata.labels : metadata.annotations;
  return map?.[keyed[2] ?? ''] ?? '';
}

/** `key="value"` lines sorted by key, as a downward API file holds them. */
function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}

/**
 * Gives the value of a resource field (`limits.cpu`, `requests.memory`…) in units of the divisor, rounded up; pure.
 * A limit that is not set is what the node has (API reference: ResourceFieldSelector).
 */
export function resourceValue(
  resource: string,
  divisor: string | undefined,
  container: Container,
  placement: PodPlacement,
): string | undefined {
  const [list, ...rest] = resource.split('.');
  const name = rest.join('.');
  if ((list !== 'limits' && list !== 'requests') || name === '') return undefined;
  const set = amount(container.resources?.[list]?.[name]);
  const fallback = list === 'limits' ? ofNode(name, placement) : amount(container.resources?.limits?.[name]);
  const parsed = amount(divisor);
  const unit = parsed === undefined || parsed === 0 ? 1 : parsed;
  // 0.1 / 0.001 is a little more than 100: rounding up must not make 101 of it.
  return String(Math.ceil(Number(((set ?? fallback ?? 0) / unit).toPrecision(12))));
}

function ofNode(name: string, { allocatable }: PodPlacement): number | undefined {
  if (name === 'cpu') return allocatable.cpus;
  if (name === 'memory') return allocatable.memoryBytes;
  return undefined;
}

function amount(text: string | undefined): number | undefined {
  return text !== undefined && isQuantity(text) ? quantityToNumber(parseQuantity(text)) : undefined;
}
