import { readFileSync } from 'node:fs';
import { NodeError } from './node-error.ts';

/** Bits of the capabilities that faults may need (linux/capability.h), by their names without `CAP_`. */
export const CAPABILITY_BITS = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  DAC_READ_SEARCH: 2,
  KILL: 5,
  NET_ADMIN: 12,
  NET_RAW: 13,
  SYS_MODULE: 16,
  SYS_CHROOT: 18,
  SYS_PTRACE: 19,
  SYS_ADMIN: 21,
  SYS_BOOT: 22,
  SYS_NICE: 23,
  SYS_RESOURCE: 24,
  SYS_TIME: 25,
} as const;

/** A capability of Linux without `CAP_`, the form of a security context. */
export type Capability = keyof typeof CAPABILITY_BITS;

/** This process lacks capabilities without which the fault cannot act. Nothing was touched. */
export class CapabilityError extends NodeError {
  override readonly name = 'CapabilityError';
  /** With `CAP_`, as the kernel's manual names them. */
  readonly missing: readonly string[];

  constructor(message: string, missing: readonly string[]) {
    super(message);
    this.missing = missing;
  }
}

/** Which of `needed` are not among the effective capabilities of /proc/<pid>/status; with `CAP_`. Pure. */
export function missingCapabilities(status: string, needed: readonly Capability[]): string[] {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return needed
    .filter((name) => (effective & (1n << BigInt(CAPABILITY_BITS[name]))) === 0n)
    .map((name) => `CAP_${name}`);
}

/**
 * Makes sure that this process has the capabilities an act needs.
 *
 * @param purpose what they are for, as in `cannot <purpose>`
 * @throws CapabilityError naming those that are missing, and how a helper gets them
 */
export function requireCapabilities(
  needed: readonly Capability[],
  purpose: string,
  readStatus: () => string = readOwnStatus,
): void {
  if (needed.length === 0) return;
  const missing = missingCapabilities(readStatus(), needed);
  if (missing.length === 0) return;
  throw new CapabilityError(
    `cannot ${purpose}: this process lacks ${missing.join(' and ')}; a helper gets capabilities by its security context, ` +
      'which the admission policy of its namespace has to allow; on the embedded cluster, start turnsole as root',
    missing,
  );
}

/** Empty where there is no /proc: then everything is missing, which is the truth. */
function readOwnStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
