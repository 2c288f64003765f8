import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { parseTime } from '@turnsole/kube/text/time';
import { haltOf } from '../../../chaos/halt.ts';

/** How one lever stands. */
export interface LeverFigures {
  readonly scope: 'cluster' | 'namespace';
  readonly namespace: string;
  /** Seconds for which it was pulled while this process looked on. */
  readonly seconds: number;
  /** Seconds since 1970 at which it was pulled; undefined while it is released. */
  readonly since: number | undefined;
}

/** A released lever stays in the metrics for an hour. */
const KEPT_MS = 3_600_000;

interface Lever {
  readonly scope: 'cluster' | 'namespace';
  /** Sum of the pulls that are over. */
  pulledMs: number;
  /** From when on the present pull counts here; undefined while it is released. */
  countedFromMs: number | undefined;
  sinceMs: number;
  releasedMs: number;
}

/** Adds up for how long chaos was halted, by the levers as they come and go. All times are milliseconds since 1970. */
export class HaltTime {
  readonly #levers = new Map<string, Lever>();

  /** A lever is pulled, or was when this process began to look. */
  pulled(map: ConfigMap, nowMs: number): void {
    const { scope, namespace, since } = haltOf(map);
    const known = this.#levers.get(namespace);
    if (known?.countedFromMs !== undefined) return;
    const sinceMs = parseTime(since) ?? nowMs;
    this.#levers.set(namespace, {
      scope,
      pulledMs: known?.pulledMs ?? 0,
      countedFromMs: nowMs,
      sinceMs,
      releasedMs: 0,
    });
  }

  released(map: ConfigMap, nowMs: number): void {
    const lever = this.#levers.get(haltOf(map).namespace);
    if (lever?.countedFromMs === undefined) return;
    // A clock that was set back must not take from what was counted.
    lever.pulledMs += Math.max(0, nowMs - lever.countedFromMs);
    lever.countedFromMs = undefined;
    lever.releasedMs = nowMs;
  }

  figures(nowMs: number): LeverFigures[] {
    for (const [namespace, { countedFromMs, releasedMs }] of this.#levers) {
      if (countedFromMs === undefined && nowMs - releasedMs >= KEPT_MS) this.#levers.delete(namespace);
    }
    return [...this.#levers].map(([namespace, { scope, pulledMs, countedFromMs, sinceMs }]) => ({
      scope,
      namespace,
      seconds: (pulledMs + (countedFromMs === undefined ? 0 : Math.max(0, nowMs - countedFromMs))) / 1000,
      since: countedFromMs === undefined ? undefined : sinceMs / 1000,
    }));
  }
}
