/** What this process may do on its machine. */
import { readFileSync } from 'node:fs';
import { type MachineLacks, machineLacks } from '../../chaos/machine-lacks.ts';
import { ownFeatures } from '../../process/own-features.ts';

/** Lowest port that an ordinary user may listen on. */
export function readFirstFreePort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}

/** What this process lacks of the things that faults may need of the machine. */
export function readLacks(notIsolated: string | undefined): MachineLacks {
  return machineLacks({ ...ownFeatures(), notIsolated });
}
