import { readFileSync } from 'node:fs';

/** Lowest port that an ordinary user may listen on. */
export function readFirstFreePort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}
