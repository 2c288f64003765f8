import type { ShownChart } from './generated/hubs.ts';

/** The charts of a hub with that of Kubernetes first: most experiments are made of its faults. Pure. */
export function kubernetesFirst(charts: readonly ShownChart[]): ShownChart[] {
  const rank = ({ metadata: { name } }: ShownChart): number => (name === 'kubernetes' ? 0 : 1);
  return charts.toSorted((one, other) => rank(one) - rank(other));
}
