import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long tests wait for what should be so at any moment. Only a defect takes so long, also on a machine with much other work; a test
 * that passes never waits for it.
 */
export const PATIENCE_MS = 120_000;
const PAUSE_MS = 5;

/**
 * Asks again and again until it is so, for what reports its end to no one: a process that is not a child, a folder.
 * @param isSo may also move a test's clock on
 * @param problem the message when it is not so in time
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  problem: string | (() => string),
  limitMs = PATIENCE_MS,
): Promise<void> {
  for (const deadlineMs = performance.now() + limitMs; !(await isSo()); await delay(PAUSE_MS)) {
    if (performance.now() < deadlineMs) continue;
    assert.fail(typeof problem === 'string' ? problem : problem());
  }
}
