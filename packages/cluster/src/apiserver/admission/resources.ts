/** What pods ask for, summed up. Source: kubernetes.io, Pod resource requests and limits; Resource sharing of init containers. */
import { formatQuantity, parseQuantity, type Quantity } from '@turnsole/kube/text/quantity';
import { type ApiObject, asJson, asObjects, asString, type Json, valueAt } from '../object.ts';

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

/** The requests or limits of a whole pod: its containers together, or its largest init container. */
export function podAmounts(pod: ApiObject, kind: 'requests' | 'limits'): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const [list, join] of [
    ['containers', plus],
    ['initContainers', larger],
  ] as const) {
    for (const container of asObjects(valueAt(pod, 'spec', list))) {
      for (const [name, quantity] of readAmounts(valueAt(container, 'resources', kind))) {
        total.set(name, join(total.get(name), quantity));
      }
    }
  }
  return total;
}
