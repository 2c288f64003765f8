import type { Container, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { parseQuantity, QuantityError } from '@turnsole/kube/text/quantity';

/** Amounts by resource name, in whole thousandths of the unit: cores for cpu, bytes for memory. */
export type Amounts = ReadonlyMap<string, number>;

/** Texts that were parsed before; the same few stand in thousands of pods. */
const parsed = new Map<string, number>();
const MAX_PARSED = 1_000;
const NANO_PER_MILLI = 1_000_000n;

/** A quantity in thousandths, rounded up; 0 for an invalid text, which the API server has refused already. */
export function milliOf(text: string | number | undefined): number {
  if (text === undefined) return 0;
  const key = String(text);
  const known = parsed.get(key);
  if (known !== undefined) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const value = parseMilli(key);
  parsed.set(key, value);
  return value;
}

function parseMilli(text: string): number {
  try {
    const { nano } = parseQuantity(text);
    return Number((nano + NANO_PER_MILLI - 1n) / NANO_PER_MILLI);
  } catch (error) {
    if (error instanceof QuantityError) return 0;
    throw error;
  }
}

/** Amounts of a resource list of the API. */
export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, milliOf(text)]));
}

/** A container's requests; a limit without a request stands for one. */
function requestsOf({ resources }: Container): Amounts {
  return amountsOf({ ...resources?.limits, ...resources?.requests });
}

/** Adds amounts in place. */
export function addTo(sum: Map<string, number>, amounts: Amounts, factor: 1 | -1 = 1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + factor * amount);
}

function raiseTo(maximum: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) maximum.set(name, Math.max(maximum.get(name) ?? 0, amount));
}

/**
 * The resources that a pod needs of a node: all containers together, or, if that is more, an init container with the sidecars (init
 * containers that stay) started before it; plus the overhead.
 */
export function podRequests(spec: PodSpec | undefined): Amounts {
  const running = new Map<string, number>();
  const atStart = new Map<string, number>();
  const sidecars = new Map<string, number>();
  for (const container of spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      addTo(sidecars, requestsOf(container));
      raiseTo(atStart, sidecars);
    } else {
      const peak = new Map(sidecars);
      addTo(peak, requestsOf(container));
      raiseTo(atStart, peak);
    }
  }
  for (const container of spec?.containers ?? []) addTo(running, requestsOf(container));
  addTo(running, sidecars);
  raiseTo(running, atStart);
  addTo(running, amountsOf(spec?.overhead));
  return running;
}

/**
 * The resources that a pod takes of its node. While it is resized these are the larger ones of what its containers ask for, were granted and
 * have; what the node can never give does not count.
 */
export function placedRequests({ spec, status }: Pod): Amounts {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const isKnown = statuses.some(({ resources }) => resources?.requests !== undefined);
  if (spec === undefined || !isKnown) return podRequests(spec);
  const isInfeasible = status?.conditions?.some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const taken = (container: Container): Container => {
    const present = statuses.find(({ name }) => name === container.name);
    if (present?.resources === undefined) return container;
    const lists = [present.resources.requests, present.allocatedResources];
    if (isInfeasible !== true) lists.push(container.resources?.requests);
    return { ...container, resources: { ...container.resources, requests: largest(lists) } };
  };
  const { containers, initContainers } = spec;
  const changed = { containers: containers.map(taken) };
  if (initContainers === undefined) return podRequests({ ...spec, ...changed });
  return podRequests({ ...spec, ...changed, initContainers: initContainers.map(taken) });
}

function largest(lists: readonly (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const list of lists) {
    for (const [name, text] of Object.entries(list ?? {})) {
      if (milliOf(text) >= milliOf(found[name])) found[name] = text;
    }
  }
  return found;
}

/** Ports a pod takes of its node, as `protocol/address/port`. */
export function hostPorts(pod: Pod): string[] {
  return (pod.spec?.containers ?? []).flatMap((container) =>
    (container.ports ?? [])
      .filter((port) => (port.hostPort ?? 0) > 0)
      .map((port) => `${port.protocol ?? 'TCP'}/${port.hostIP ?? '0.0.0.0'}/${port.hostPort}`),
  );
}

/** Whether two host ports exclude each other: the same protocol and number, and one address or any address. */
export function portsClash(left: string, right: string): boolean {
  const [protocol, address, port] = left.split('/');
  const [otherProtocol, otherAddress, otherPort] = right.split('/');
  if (protocol !== otherProtocol || port !== otherPort) return false;
  return address === otherAddress || address === '0.0.0.0' || otherAddress === '0.0.0.0';
}
