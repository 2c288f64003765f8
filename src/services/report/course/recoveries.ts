import type { WorkloadCourse } from './model.ts';

/** A time in which a workload lacked a pod. */
interface Recovery {
  readonly fromMs: number;
  /** Undefined while the pod is missing. */
  readonly toMs?: number;
}

/**
 * When pods of a workload were missing: each pod that is ready no more is made up for by the next one that gets ready, the longest missing
 * first. Pods beyond those that were ready before chaos make up for nothing. Pure.
 */
export function recoveriesOf({ ready, before }: Pick<WorkloadCourse, 'ready' | 'before'>): Recovery[] {
  const missing: number[] = [];
  const found: Recovery[] = [];
  // What was counted before all of them had been seen is no loss.
  const first = ready.findIndex(({ pods }) => pods >= before);
  for (const { atMs, pods } of first < 0 ? [] : ready.slice(first)) {
    const lacks = Math.max(0, before - pods);
    while (missing.length < lacks) missing.push(atMs);
    while (missing.length > lacks) {
      const fromMs = missing.shift();
      if (fromMs !== undefined) found.push({ fromMs, toMs: atMs });
    }
  }
  return [...found, ...missing.map((fromMs) => ({ fromMs }))];
}
