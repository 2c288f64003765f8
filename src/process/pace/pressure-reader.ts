import { availableParallelism } from 'node:os';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { readOrEmpty } from '@turnsole/kube/base/machine';

/** What a {@link PressureWatch} reads of its process and machine. */
export interface PressureReader {
  readonly clock: Clock;
  /** Processors of the machine: all whose load is counted, and not those alone that this process may use. */
  readonly cores: () => number;
  /** Load average of one minute; undefined where there is none. */
  readonly load: () => number | undefined;
  /** Per cent of ten seconds in which something waited for a processor; undefined where the kernel does not count it. */
  readonly cpuWaitPercent: () => number | undefined;
}

/** Reads the machine of this process. */
export function machineReader(): PressureReader {
  return {
    clock: systemClock,
    cores: () => parseCores(readOrEmpty('/proc/stat')) ?? availableParallelism(),
    load: () => parseLoad(readOrEmpty('/proc/loadavg')),
    cpuWaitPercent: () => parseCpuWait(readOrEmpty('/proc/pressure/cpu')),
  };
}

/** Processors in a text of /proc/stat; undefined without one. Pure. */
export function parseCores(stat: string): number | undefined {
  return stat.match(/^cpu\d+ /gm)?.length;
}

/** Load average of one minute in a text of /proc/loadavg; undefined without one. Pure. */
export function parseLoad(text: string): number | undefined {
  const load = /^(\d+(?:\.\d+)?) /.exec(text)?.[1];
  return load === undefined ? undefined : Number(load);
}

/** The share of the last ten seconds in a text of /proc/pressure/cpu, in per cent; undefined without one. Pure. */
export function parseCpuWait(text: string): number | undefined {
  const share = /^some avg10=(\d+(?:\.\d+)?) /m.exec(text)?.[1];
  return share === undefined ? undefined : Number(share);
}
