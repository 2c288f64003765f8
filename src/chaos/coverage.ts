/** How much of what a held fault was asked for was in force. */
import type { ForceEnd, LedgerEntry } from '../api/ledger.ts';
import type { Coverage } from '../api/schema/result.ts';
import { spansOf, sumOf } from './force-windows.ts';
import { describeTarget } from './no-effect.ts';

/** What a held fault was asked for. */
export interface AskedForce {
  /** Number of targets that were chosen. */
  readonly targets: number;
  /** Kind of the targets, in lower case. */
  readonly kind: string;
  readonly durationMs: number;
  /** How many of them are hit at once; the next ones follow after the whole duration. */
  readonly atOnce: number;
}

/** Share below which a run is no Pass, where the engine says nothing. */
export const DEFAULT_MINIMUM_COVERAGE = 90;

/**
 * The coverage of a run by the ledger entries of it: each moment counts by the number of targets on which the fault was in force then, but
 * no more than were chosen, so that a pod that takes the place of another counts in its stead, and never beside it. Pure.
 *
 * @param steps the entries of the targets that are hit at once, and of those that took their places
 */
export function coverageOf(
  steps: readonly (readonly LedgerEntry[])[],
  asked: AskedForce,
  nowMs: number,
): Coverage {
  const { atOnce, durationMs } = asked;
  const ofMs = (durationMs * asked.targets) / atOnce;
  // By step: clocks of nodes differ, so that the end of one may seem to be after the beginning of the next.
  const spans = steps.map((entries) => entries.map((entry) => spansOf(entry, nowMs)));
  const coveredMs = spans
    .map((step) => Math.min(sumOf(step.flat(), atOnce) / atOnce, durationMs))
    .reduce((sum, ms) => sum + ms, 0);
  const hit = spans.flat().filter((one) => one.length > 0);
  return {
    kind: asked.kind,
    targets: asked.targets,
    hit: Math.min(hit.length, asked.targets),
    followed: Math.max(hit.length - asked.targets, 0),
    seconds: floorTo(coveredMs / 1000, 0.1),
    ofSeconds: floorTo(ofMs / 1000, 0.1),
    percent: floorTo((coveredMs / ofMs) * 100, 0.1),
  };
}

/** `in force on 2 of 2 pods for 19.4 of 20 s`. Pure. */
export function describeCoverage({ kind, targets, hit, followed, seconds, ofSeconds }: Coverage): string {
  const places = followed === 0 ? '' : `, and on ${followed} that came later,`;
  return `in force on ${hit} of ${targets} ${kind}${targets === 1 ? '' : 's'}${places} for ${seconds} of ${ofSeconds} s`;
}

/** Why the fault was not in force on its targets all the time, one text per window that ended early. Pure. */
export function describeLapses(entries: readonly LedgerEntry[]): string[] {
  return entries.flatMap(({ target, inForce = [] }) =>
    inForce.flatMap(({ from, to, ended }) => {
      if (to === undefined || ended === undefined || ended === 'Reverted') return [];
      const seconds = floorTo((Date.parse(to) - Date.parse(from)) / 1000, 0.1);
      return [`${describeTarget(target)}: ${LAPSES[ended]} after ${seconds} s`];
    }),
  );
}

const LAPSES: Readonly<Record<Exclude<ForceEnd, 'Reverted'>, string>> = {
  PodGone: 'the pod was gone',
  ContainerRestarted: 'the container restarted',
  ProcessEnded: 'the process of the fault ended',
  NotRenewed: 'its machine was too busy to renew its rules',
  HelperLost: 'its helper was lost',
};

/** Rounded down, so that nothing is said to be more than it was. */
function floorTo(value: number, step: number): number {
  // Against what binary fractions add or lack.
  return Number((Math.floor(value / step + 1e-6) * step).toFixed(1));
}
