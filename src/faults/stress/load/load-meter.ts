import { cpuLimitOf } from '../../../experiment/node/cpu-limit.ts';
import { type MemoryPressure, memoryPressureOf } from '../../../experiment/node/oom-kills.ts';
import type { LoadTally } from './load-effect.ts';
import type { RunningStressor, StressorEnd } from './stressor.ts';
import { NO_USAGE, plus, type Usage } from './tree-usage.ts';

/** Exit code of a shell or of unshare whose program was killed. */
const KILLED_CODE = 137;

/**
 * Measures a load over all of its starts. What processes have used is gone when they end, so it is looked at again and again; a load that
 * ends between two looks has used at least what the last one has seen.
 */
export class LoadMeter {
  #running: RunningStressor | undefined;
  #sinceMs = 0;
  #endedMs = 0;
  /** Of the starts that have ended. */
  #ended: Usage = NO_USAGE;
  #current: Usage = NO_USAGE;
  #mostHeldBytes = 0;
  /** Starts that were killed, as their exit codes say. */
  #killed = 0;
  /** Processes that were killed in the containers of all starts, as their cgroups say. */
  #oomKills = 0;
  #pressure: MemoryPressure | undefined;
  /** The lowest that was seen: a container may be resized, and what it could not get then it is not asked for. */
  #cpuLimit: number | undefined;

  /** A load is in force. @param nowMs of the clock that the other methods get the time of */
  async begin(running: RunningStressor, nowMs: number): Promise<void> {
    this.#running = running;
    this.#sinceMs = nowMs;
    this.#current = NO_USAGE;
    this.#pressure = await memoryPressureOf(running.pid);
    await this.#readCpuLimit(running.pid);
  }

  /** Looks at what the load in force uses and may use. */
  async look(): Promise<void> {
    if (this.#running === undefined) return;
    const { pid } = this.#running;
    const usage = this.#running.usage();
    // A tree whose first process has just ended has nothing any more.
    if (usage.cpuSeconds < this.#current.cpuSeconds) return;
    this.#current = usage;
    this.#mostHeldBytes = Math.max(this.#mostHeldBytes, usage.heldBytes);
    await this.#readCpuLimit(pid);
  }

  /** The load in force has ended by itself. */
  async end({ code, signal }: StressorEnd, nowMs: number): Promise<void> {
    if (signal === 'SIGKILL' || code === KILLED_CODE) this.#killed += 1;
    await this.#countKills();
    this.#running = undefined;
    this.#ended = plus(this.#ended, this.#current);
    this.#endedMs += nowMs - this.#sinceMs;
    this.#current = NO_USAGE;
  }

  /** What it has got so far. */
  async tally(nowMs: number): Promise<LoadTally> {
    await this.look();
    await this.#countKills();
    const { cpuSeconds, writtenBytes } = plus(this.#ended, this.#current);
    const currentMs = this.#running === undefined ? 0 : nowMs - this.#sinceMs;
    return {
      cpuSeconds,
      writtenBytes,
      mostHeldBytes: this.#mostHeldBytes,
      seconds: (this.#endedMs + currentMs) / 1000,
      kills: Math.max(this.#killed, this.#oomKills),
      limitBytes: this.#pressure?.limitBytes,
      cpuLimit: this.#cpuLimit,
    };
  }

  async #readCpuLimit(pid: number): Promise<void> {
    const limit = (await cpuLimitOf(pid)) ?? Number.POSITIVE_INFINITY;
    const lowest = Math.min(limit, this.#cpuLimit ?? Number.POSITIVE_INFINITY);
    this.#cpuLimit = Number.isFinite(lowest) ? lowest : undefined;
  }

  async #countKills(): Promise<void> {
    if (this.#running === undefined || this.#pressure === undefined) return;
    const now = await memoryPressureOf(this.#running.pid);
    if (now === undefined) return;
    this.#oomKills += Math.max(0, now.kills - this.#pressure.kills);
    this.#pressure = now;
  }
}
