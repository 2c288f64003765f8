import { chaosDuration, chaosInterval } from '../../experiment/injection/settings/common-tunables.ts';
import { flag, integer } from '../../experiment/injection/settings/declare.ts';

/** Settings of every fault of resources of a cloud. */
export const RESOURCE_TUNABLES = {
  TOTAL_CHAOS_DURATION: chaosDuration(
    30,
    'How long chaos lasts, from when all resources of a step are taken away; then they are given back.',
  ),
  CHAOS_INTERVAL: {
    ...chaosInterval(
      30,
      'How long a resource is away at a time: as often as TOTAL_CHAOS_DURATION has room for it, it is given back in between.',
    ),
    minimum: 1,
  },
  ALLOW_ALL_INSTANCES: flag(
    false,
    'Whether a tag, label or pattern may mean every resource of its kind that the account has there.',
  ),
} as const;

export type ResourceTunables = typeof RESOURCE_TUNABLES;

/** The share of what a tag or label means. */
export function affectedShare(what: string, fallback = 0) {
  return integer(
    { default: fallback, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    `Share of the ${what} that is hit, at least one.`,
  );
}
