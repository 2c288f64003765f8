import type { DeliberateDifference } from './harness/replay.ts';

/** Where the embedded cluster differs on purpose. Anything else that differs is a fault. */
export const DELIBERATE_DIFFERENCES: readonly DeliberateDifference[] = [];
