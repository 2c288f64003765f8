/** The rights of this process on its machine, and the programs it finds there. */
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type MachineLacks, machineLacks } from '../../chaos/machine-lacks.ts';
import { isExecutable, readOrEmpty } from './files.ts';

/** Text of /proc/self/status; empty without one. */
export function readOwnStatus(): string {
  return readOrEmpty('/proc/self/status');
}

/** Whether a program is in PATH. */
export function hasProgram(name: string, path = process.env.PATH ?? ''): boolean {
  return path.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

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
  const { platform } = process;
  return machineLacks({
    platform,
    status: readOwnStatus(),
    hasTool: (name) => hasProgram(name),
    notIsolated,
  });
}
