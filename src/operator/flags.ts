/** What the operator's command line says. */
export interface OperatorFlags {
  readonly leaderElect: boolean;
  /** `host:port` of /metrics; undefined when switched off with `0`. */
  readonly metricsAddress: BindAddress | undefined;
  /** `host:port` of /healthz and /readyz; undefined when switched off with `0`. */
  readonly healthAddress: BindAddress | undefined;
}

/** Where a server listens; an absent host means all addresses. */
export interface BindAddress {
  readonly host?: string;
  readonly port: number;
}

/** The command line or environment of the operator is wrong. */
export class OperatorUsageError extends Error {
  override readonly name = 'OperatorUsageError';
}

const DEFAULTS: OperatorFlags = {
  leaderElect: false,
  metricsAddress: { port: 8080 },
  healthAddress: { port: 8081 },
};

const KNOWN = ['leader-elect', 'metrics-bind-address', 'health-probe-bind-address'] as const;

/**
 * Reads the operator's flags, with one dash or two, value after `=` or as next argument, as Go programs take them. Pure.
 *
 * @throws OperatorUsageError for an unknown flag or a wrong value
 */
export function parseOperatorFlags(argv: readonly string[]): OperatorFlags {
  let flags = DEFAULTS;
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    const match = /^--?([^=]+)(?:=(.*))?$/s.exec(argument);
    const name = match?.[1] ?? '';
    if (!(KNOWN as readonly string[]).includes(name)) {
      const known = KNOWN.map((flag) => `-${flag}`).join(', ');
      throw new OperatorUsageError(`unknown argument ${JSON.stringify(argument)}; known are ${known}`);
    }
    let value = match?.[2];
    if (name === 'leader-elect') {
      flags = { ...flags, leaderElect: parseBoolean(name, value ?? 'true') };
      continue;
    }
    if (value === undefined) {
      index += 1;
      value = argv[index];
    }
    if (value === undefined) throw new OperatorUsageError(`flag -${name} needs an address, e.g. :8080`);
    const address = parseAddress(name, value);
    flags =
      name === 'metrics-bind-address'
        ? { ...flags, metricsAddress: address }
        : { ...flags, healthAddress: address };
  }
  return flags;
}

function parseBoolean(name: string, value: string): boolean {
  if (['true', 't', '1'].includes(value.toLowerCase())) return true;
  if (['false', 'f', '0'].includes(value.toLowerCase())) return false;
  throw new OperatorUsageError(`flag -${name}: ${JSON.stringify(value)} is neither true nor false`);
}

function parseAddress(name: string, value: string): BindAddress | undefined {
  if (value === '0' || value === '') return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new OperatorUsageError(
      `flag -${name}: ${JSON.stringify(value)} is no address; expected is host:port or :port, or 0 for none`,
    );
  }
  const host = match[1] ?? match[2] ?? '';
  return host === '' ? { port } : { host, port };
}
