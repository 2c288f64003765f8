import type { ExecutionData } from '../../services/report/account/execution-data.ts';
import { matchFaults } from '../../services/report/account/match-faults.ts';
import type { WeighedFault } from './fault.ts';

/** Score and counts of a run. */
export interface Score {
  /** 0 to 100, with at most two decimals. */
  readonly resiliencyScore: number;
  readonly passed: number;
  readonly failed: number;
  readonly awaited: number;
  readonly stopped: number;
  /** Without a verdict, also because they never started. */
  readonly na: number;
  readonly total: number;
}

/** Score of an unfinished or unreported run. */
export const NO_SCORE: Score = {
  resiliencyScore: 0,
  passed: 0,
  failed: 0,
  awaited: 0,
  stopped: 0,
  na: 0,
  total: 0,
};

/**
 * Scores a run: each fault counts by its weight, and adds the share of its passed probes, which is the mean if it has several engines.
 * A fault that did not start adds nothing, since its outcome is unknown. Pure.
 */
export function scoreOf(faults: readonly WeighedFault[], data: ExecutionData): Score {
  const weights = new Map<string, number>();
  for (const { name, weight } of faults) weights.set(name, (weights.get(name) ?? 0) + weight);
  const shares = new Map<string, number[]>();
  const counts = { passed: 0, failed: 0, awaited: 0, stopped: 0, na: 0 };
  for (const { fault, engine } of matchFaults(faults, data)) {
    counts[counterOf(engine.verdict)] += 1;
    if (fault !== undefined) shares.set(fault.name, [...(shares.get(fault.name) ?? []), engine.percentage]);
  }
  counts.na += [...weights.keys()].filter((name) => !shares.has(name)).length;
  return { resiliencyScore: weighedMean(weights, shares), ...counts, total: weights.size };
}

function weighedMean(
  weights: ReadonlyMap<string, number>,
  shares: ReadonlyMap<string, readonly number[]>,
): number {
  let reached = 0;
  let possible = 0;
  for (const [name, weight] of weights) {
    reached += weight * meanOf(shares.get(name) ?? []);
    possible += weight;
  }
  // Adds a tiny amount, so that rounding errors of an exact mean do not round it down.
  return possible === 0 ? 0 : Math.floor((reached / possible) * 100 + 1e-9) / 100;
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function counterOf(verdict: string): 'passed' | 'failed' | 'awaited' | 'stopped' | 'na' {
  switch (verdict.toLowerCase()) {
    case 'pass':
      return 'passed';
    case 'fail':
    case 'error':
      return 'failed';
    case 'awaited':
      return 'awaited';
    case 'stopped':
      return 'stopped';
    default:
      return 'na';
  }
}
