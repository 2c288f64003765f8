import type { EndpointSubset } from '../shared/types.ts';

/** Annotation of Endpoints from which addresses were left out. */
export const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
/** Most addresses of an Endpoints object; slices hold them all. */
const MAX_ADDRESSES = 1_000;

/**
 * The subsets with a thousand addresses at most: ready ones first, then those that are not, each subset's share in proportion
 * to what it has. Gives the subsets themselves when they are few enough; pure.
 */
export function truncate(subsets: EndpointSubset[], limit: number = MAX_ADDRESSES): EndpointSubset[] {
  const ready = sum(subsets, ({ addresses }) => addresses);
  const notReady = sum(subsets, ({ notReadyAddresses }) => notReadyAddresses);
  if (ready + notReady <= limit) return subsets;
  const readyShares = shares(
    subsets.map(({ addresses = [] }) => addresses.length),
    limit,
  );
  const notReadyShares = shares(
    subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses.length),
    Math.max(0, limit - ready),
  );
  return subsets
    .map(({ addresses = [], notReadyAddresses = [], ...rest }, index) => {
      const kept = addresses.slice(0, readyShares[index]);
      const keptNotReady = notReadyAddresses.slice(0, notReadyShares[index]);
      return {
        ...(kept.length === 0 ? {} : { addresses: kept }),
        ...(keptNotReady.length === 0 ? {} : { notReadyAddresses: keptNotReady }),
        ...rest,
      };
    })
    .filter(({ addresses, notReadyAddresses }) => addresses !== undefined || notReadyAddresses !== undefined);
}

function sum(
  subsets: readonly EndpointSubset[],
  list: (subset: EndpointSubset) => readonly unknown[] | undefined,
): number {
  return subsets.reduce((total, subset) => total + (list(subset)?.length ?? 0), 0);
}

/** Divides `limit` in proportion, rounded up as long as something is left. */
function shares(counts: readonly number[], limit: number): number[] {
  const total = counts.reduce((all, count) => all + count, 0);
  if (total <= limit) return [...counts];
  let left = limit;
  return counts.map((count) => {
    const share = Math.min(left, Math.ceil((count / total) * limit));
    left -= share;
    return share;
  });
}
