/** Bits of the capabilities of Linux that programs in containers may need (linux/capability.h), by their names without `CAP_`. */
export const CAPABILITY_BITS = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  DAC_READ_SEARCH: 2,
  KILL: 5,
  SETGID: 6,
  SETUID: 7,
  NET_BIND_SERVICE: 10,
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
  MKNOD: 27,
} as const;

/** A capability of Linux without `CAP_`, the form of a security context. */
export type Capability = keyof typeof CAPABILITY_BITS;

/** Which of `needed` are not among the effective capabilities of /proc/<pid>/status. Pure. */
export function lackingCapabilities(status: string, needed: readonly Capability[]): Capability[] {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return needed.filter((name) => (effective & (1n << BigInt(CAPABILITY_BITS[name]))) === 0n);
}

/** `CAP_KILL, CAP_NET_ADMIN and CAP_SYS_ADMIN`, as the kernel's manual names them. Pure. */
export function nameCapabilities(names: readonly Capability[]): string {
  const words = names.map((name) => `CAP_${name}`);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
