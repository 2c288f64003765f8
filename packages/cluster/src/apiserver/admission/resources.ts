/** What pods ask for, summed up. Source: kubernetes.io, Pod resource requests and limits; Resource sharing of init containers. */
import { formatQuantity, parseQuantity, type Quantity } from '@turnsole/kube/text/quantity';
import { type ApiObject, asJson, asObjects, asString, type Json, valueAt } from '../object.ts';
import type { AdmissionAttempt } from '../registry/environment.ts';

/** Whether a write changes the resources of a pod's containers by the subresource for it. */
export function isPodResize({ definition, operation, subresource }: AdmissionAttempt): boolean {
  return definition.table === 'pods' && operation === 'update' && subresource === 'resize';
}

/** Amounts by resource name. */
type Amounts = ReadonlyMap<string, Quantity>;

/** A list of resources (`limits`, `hard`…) as amounts. */
export function readAmounts(list: unknown): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(asJson(list))) amounts.set(name, parseQuantity(asString(text)));
  return amounts;
}

/** Amounts as an object holds them. */
export function writeAmounts(amounts: Amounts): Json {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

export function plus(a: Quantity | undefined, b: Quantity): Quantity {
  return a === undefined ? b : { nano: a.nano + b.nano, format: a.format };
}

function larger(a: Quantity | undefined, b: Quantity): Quantity {
  return a === undefined || b.nano > a.nano ? b : a;
}

/**
 * The requests or limits of a whole pod: its containers together, or, if that is more, an init container with the sidecars (init
 * containers that stay) started before it.
 */
export function podAmounts(pod: ApiObject, kind: 'requests' | 'limits'): Map<string, Quantity> {
  const amountsOf = (container: Json): Amounts => readAmounts(valueAt(container, 'resources', kind));
  let sidecars: Amounts = new Map();
  let atStart: Amounts = new Map();
  for (const container of asObjects(valueAt(pod, 'spec', 'initContainers'))) {
    const running = join(sidecars, amountsOf(container), plus);
    if (container.restartPolicy === 'Always') sidecars = running;
    atStart = join(atStart, running, larger);
  }
  const containers = asObjects(valueAt(pod, 'spec', 'containers'));
  const together = containers.reduce((sum, container) => join(sum, amountsOf(container), plus), sidecars);
  return join(together, atStart, larger);
}

function join(amounts: Amounts, more: Amounts, how: typeof plus): Map<string, Quantity> {
  const joined = new Map(amounts);
  for (const [name, quantity] of more) joined.set(name, how(joined.get(name), quantity));
  return joined;
}
