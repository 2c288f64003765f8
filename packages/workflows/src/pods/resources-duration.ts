import type { Container, ContainerStatus } from '@turnsole/kube/kinds/core';
import { parseQuantity, type Quantity } from '@turnsole/kube/text/quantity';
import { parseTime } from '@turnsole/kube/text/time';

const BASES: Readonly<Record<string, string>> = {
  memory: '100Mi',
  storage: '10Gi',
  'ephemeral-storage': '10Gi',
};

/** What a container counts with that says nothing. */
const AT_LEAST = { cpu: '100m', memory: '100Mi' };

/** Seconds for which containers held their resources, in units of a base amount each (3.10 of the reference). Helpers count as well. */
export function resourcesDuration(
  containers: readonly (readonly [Container, ContainerStatus | undefined])[],
): Readonly<Record<string, number>> | undefined {
  const sums: Record<string, number> = {};
  for (const [{ resources }, status] of containers) {
    const seconds = secondsOf(status);
    if (seconds === undefined) continue;
    const amounts: Record<string, unknown> = { ...AT_LEAST, ...resources?.limits, ...resources?.requests };
    for (const [name, amount] of Object.entries(amounts)) {
      const times = timesBase(quantityOf(amount), parseQuantity(BASES[name] ?? '1'), seconds);
      sums[name] = (sums[name] ?? 0) + times;
    }
  }
  return Object.keys(sums).length === 0 ? undefined : sums;
}

function quantityOf(amount: unknown): Quantity {
  return parseQuantity(String(amount));
}

function timesBase(amount: Quantity, base: Quantity, seconds: number): number {
  return Number((BigInt(seconds) * amount.nano) / base.nano);
}

function secondsOf(status: ContainerStatus | undefined): number | undefined {
  const { startedAt, finishedAt } = status?.state?.terminated ?? {};
  const [from, to] = [parseTime(startedAt), parseTime(finishedAt)];
  return from === undefined || to === undefined ? undefined : Math.max(0, Math.round((to - from) / 1000));
}
