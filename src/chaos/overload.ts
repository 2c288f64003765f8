/** Whether the machines of a run could keep up with what was asked of them. */

import { humanTime } from '@turnsole/kube/text/human-time';
import type { Pressure } from '../api/schema/result.ts';

/** A process that comes to its events this late has read answers long after they came. */
const LATE_MS = 500;
/** Load for each processor at which each process gets about a fourth of what it asks for. */
const LOAD_PER_CORE = 4;
/** Load counts what waits for disks as well: by itself it says nothing where hardly anything waits for a processor. */
const CPU_WAIT_PERCENT = 50;

/** So many helpers are kept beside their experiment. */
const MOST_HELPERS = 9;

/** The helpers whose machines had it worst, the worst first. Pure. */
export function gravestPressures(helpers: readonly Pressure[]): Pressure[] {
  return [...helpers].sort(byGravity).slice(0, MOST_HELPERS);
}

/**
 * `this machine was overloaded: load 53 on 2 cores, the event loop of the experiment was late by up to 4 s`, of the one that had it worst;
 * undefined where all could keep up. A process that was late on a machine without much load has another reason: that is said instead. Pure.
 *
 * @param pressures as in `status.pressure`
 */
export function describeOverload(pressures: readonly Pressure[]): string | undefined {
  const [worst] = pressures.filter((one) => isLoaded(one) || isLate(one)).sort(byGravity);
  if (worst === undefined) return undefined;
  const late = `the event loop of ${nameOf(worst)} was late by up to ${humanTime(worst.eventLoopLateMs.value)}`;
  if (!isLoaded(worst)) {
    const at = worst.load === undefined ? '' : ` at ${loadOf(worst)}`;
    return `${late}${at}: the process was stopped, held back by a limit of CPU time or by its machine's host, or at work itself`;
  }
  const machine = isHelper(worst) ? `the machine of ${nameOf(worst)}` : 'this machine';
  return `${machine} was overloaded: ${[loadOf(worst), ...(isLate(worst) ? [late] : [])].join(', ')}`;
}

/** An overloaded machine before others, then the later process where one was late, then the experiment, then the greater load. */
function byGravity(one: Pressure, other: Pressure): number {
  return (
    Number(isLoaded(other)) - Number(isLoaded(one)) ||
    lateness(other) - lateness(one) ||
    Number(isHelper(one)) - Number(isHelper(other)) ||
    loadPerCore(other) - loadPerCore(one)
  );
}

/** 0 where it is too little to matter. */
function lateness(pressure: Pressure): number {
  return isLate(pressure) ? pressure.eventLoopLateMs.value : 0;
}

function isLate({ eventLoopLateMs }: Pressure): boolean {
  return eventLoopLateMs.value >= LATE_MS;
}

function isLoaded(pressure: Pressure): boolean {
  const { value: waits = 100 } = pressure.cpuWaitPercent ?? {};
  return loadPerCore(pressure) >= LOAD_PER_CORE && waits >= CPU_WAIT_PERCENT;
}

function loadPerCore({ load, cores }: Pressure): number {
  return load === undefined ? 0 : load.value / Math.max(cores, 1);
}

function loadOf({ load, cores }: Pressure): string {
  return `load ${decimal(load?.value ?? 0)} on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}

function isHelper({ process }: Pressure): boolean {
  return process.startsWith('helper/');
}

function nameOf(pressure: Pressure): string {
  return isHelper(pressure) ? `helper ${pressure.process.slice('helper/'.length)}` : 'the experiment';
}

function decimal(value: number): string {
  return String(value >= 10 ? Math.round(value) : Math.round(value * 10) / 10);
}
