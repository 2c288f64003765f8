import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { runCommand } from '../../experiment/node/command.ts';
import { openConnections } from '../network/listening.ts';
import {
  type InterceptCount,
  type InterceptorConfig,
  type InterceptorMessage,
  REVERTED_EXIT_CODE,
} from './config.ts';
import {
  countedPackets,
  type Family,
  FORMER_CHAIN,
  HELD_CHAIN,
  lapseOf,
  parseRedirection,
  parseTables,
  pauseRules,
  RENEW_INTERVAL_MS,
  type Redirection,
  redirectRules,
  removeRules,
  renewRules,
} from './rules.ts';

/** A running service for redirected traffic. */
interface Running {
  /** One for each port that is redirected. */
  readonly ports: readonly number[];
  /** Connections under way that end with it. */
  open(): number;
  /** Ends connections under way. */
  close(): Promise<void>;
  count(): Omit<InterceptCount, 'rejected' | 'held'>;
}

/** Until rules are loaded for the first time, on a machine on which many interceptors start at once. */
const FIRST_RULES_LIMIT_MS = 15_000;
/** Longest time for connections under way after the end; the revert waits for it. */
const DRAIN_MS = 1_000;

/** Serves and redirects until `ended` aborts or the rules are gone; counts at each `count` of `asked`. @returns exit code */
export async function runInterceptor(line: string, asked: EventEmitter, ended: AbortSignal): Promise<number> {
  let running: Running | undefined;
  try {
    // The helper of the same release has written it.
    const config = JSON.parse(line) as InterceptorConfig;
    const families = familiesHere();
    assertDevice(config);
    const others = await otherRedirections(config.table);
    assertFreePorts(config, others);
    running = await serve(config, families).catch((error: unknown) => {
      throw explainListen(error, others);
    });
    const rules = redirectRules(config.table, families, config.redirect, running.ports, config.open);
    const loadedAt = systemClock.monotonic();
    await nft(rules, FIRST_RULES_LIMIT_MS);
    const { count } = running;
    asked.on('count', () => {
      // If the rules cannot be read, it sends no counts, and the effect stays unknown.
      packetCounts(config, families).then(
        (packets) => say({ kind: 'counted', count: { ...count(), ...packets } }),
        () => {},
      );
    });
    // Those that are redirected are at other ports.
    const former =
      config.redirect.kind === 'inbound' ? await openConnections('self', config.redirect.ports) : 0;
    say({ kind: 'ready', ports: running.ports, former });
    const isRemoved = await renewUntil(config, families, loadedAt, ended);
    if (!isRemoved) await nft(pauseRules(config.table, families, config.redirect.ports));
    const open = running.open();
    if (open > 0) {
      const what = open === 1 ? '1 connection that was' : `${open} connections that were`;
      say({
        kind: 'warning',
        message: `${what} opened while the fault lasted end with it, as they go through its proxy`,
      });
    }
    await running.close();
    if (!isRemoved) await nft(removeRules(config.table, families));
    return isRemoved ? REVERTED_EXIT_CODE : 0;
  } catch (error) {
    const message = messageOf(error);
    say({ kind: 'failed', message, isPlain: error instanceof RefusedError });
    return 1;
  }
}

/**
 * Says when they had expired meanwhile, as on a machine that gave this process no time.
 *
 * @param loadedAt when they were loaded, by the monotonic clock
 * @returns whether another process removed the rules
 */
async function renewUntil(
  { table, redirect }: InterceptorConfig,
  families: readonly Family[],
  loadedAt: number,
  ended: AbortSignal,
): Promise<boolean> {
  let lastAt = loadedAt;
  let dueAt = loadedAt + RENEW_INTERVAL_MS;
  for (;;) {
    try {
      await systemClock.sleep(Math.max(dueAt - systemClock.monotonic(), 1), ended);
    } catch {
      sayLapse(lastAt);
      return false;
    }
    const askedAt = systemClock.monotonic();
    dueAt = askedAt + RENEW_INTERVAL_MS;
    try {
      await nft(renewRules(table, families, redirect.ports));
      sayLapse(lastAt);
      lastAt = askedAt;
    } catch {
      if (!(await hasTable(table))) return true;
      // The machine is short of something; the rules hold for two more tries.
    }
  }
}

function sayLapse(loadedAt: number): void {
  const nowAt = systemClock.monotonic();
  const lapse = lapseOf(loadedAt, nowAt);
  if (lapse === undefined) return;
  const sinceMs = systemClock.now() - nowAt;
  say({ kind: 'lapsed', fromMs: lapse.fromMs + sinceMs, toMs: lapse.toMs + sinceMs });
}

async function serve(
  { service, redirect, formerPort }: InterceptorConfig,
  families: readonly Family[],
): Promise<Running> {
  const warn = (message: string): void => say({ kind: 'warning', message });
  if (service.kind === 'dns') {
    const { DnsInterceptor } = await import('../dns/resolver/dns-interceptor.ts');
    const hasVersion6 = families.includes('ip6');
    const names = await DnsInterceptor.listen({ ...service, formerPort, hasVersion6, warn });
    return {
      ports: redirect.ports.map(() => names.port),
      // Clients of names ask anew anyway.
      open: () => 0,
      close: () => names.close(),
      count: () => ({ requests: 0, ...names.tally, others: [...names.tally.others] }),
    };
  }
  const { TcpProxy, httpRelay, tcpRelay } = await import('../http/proxy/index.ts');
  const proxies = await Promise.all(
    redirect.ports.map((port) =>
      TcpProxy.listen({
        port: service.kind === 'http' ? service.port : 0,
        upstream: { port },
        relay: service.kind === 'http' ? httpRelay(service) : tcpRelay(service.delay),
        clock: systemClock,
        random: Math.random,
        warn,
      }),
    ),
  );
  return {
    ports: proxies.map(({ port }) => port),
    open: () => sum(proxies.map(({ connections }) => connections)),
    close: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close(DRAIN_MS, systemClock)));
    },
    count: () => ({
      arrived: sum(proxies.map(({ tally }) => tally.connections)),
      requests: sum(proxies.map(({ tally }) => tally.requests)),
      hits: sum(proxies.map(({ tally }) => tally.hits)),
      others: [],
    }),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Packets of connections from before that the rules have rejected, and held back. */
async function packetCounts(
  { table, redirect, open }: InterceptorConfig,
  families: readonly Family[],
): Promise<Pick<InterceptCount, 'rejected' | 'held'>> {
  const counted = async (chain: string): Promise<number> => {
    const chains = await Promise.all(
      families.map((family) => runCommand(['nft', 'list', 'chain', family, table, chain])),
    );
    return sum(chains.map(({ stdout }) => countedPackets(stdout)));
  };
  const isReset = redirect.kind === 'outbound' || open.kind === 'reset';
  return {
    rejected: isReset ? await counted(FORMER_CHAIN) : 0,
    held: !isReset && open.kind === 'delay' ? await counted(HELD_CHAIN) : 0,
  };
}

/** Said to users as it is: the interceptor is in order, the pod is not free for it. */
class RefusedError extends Error {}

/** What redirects in this network for other faults. */
async function otherRedirections(own: string): Promise<readonly Redirection[]> {
  const { stdout } = await runCommand(['nft', 'list', 'tables', 'ip']);
  const tables = parseTables(stdout).filter((table) => table !== own);
  const listings = await Promise.all(
    // One that ends meanwhile is no longer in the way.
    tables.map((table) => runCommand(['nft', 'list', 'table', 'ip', table], { accept: [0, 1] })),
  );
  return listings.flatMap(({ stdout: listing }) => parseRedirection(listing) ?? []);
}

/** The kernel redirects a connection once: of two faults on one port the second would meet nothing. */
function assertFreePorts({ redirect }: InterceptorConfig, others: readonly Redirection[]): void {
  const taken = redirect.ports.find((port) =>
    others.some((other) => other.kind === redirect.kind && other.ports.includes(port)),
  );
  if (taken === undefined) return;
  const what = redirect.kind === 'inbound' ? `port ${taken} of the pod is` : 'the names of the pod are';
  throw new RefusedError(`${what} under another fault already; run them one after another`);
}

function explainListen(error: unknown, others: readonly Redirection[]): unknown {
  const { code, port = 0 } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code !== 'EADDRINUSE') return error;
  return new RefusedError(
    others.some(({ toPorts }) => toPorts.includes(port))
      ? `the pod is under another HTTP fault already, whose proxy has port ${port}; run them one after another, or set PROXY_PORT to a free port`
      : `port ${port} of the pod is taken by the application; set PROXY_PORT to a free port`,
  );
}

function assertDevice({ redirect }: InterceptorConfig): void {
  if (redirect.kind !== 'inbound') return;
  const devices = [...readFileSync('/proc/self/net/dev', 'utf8').matchAll(/^\s*([^\s:|]+):/gm)].map(
    ([, name]) => name,
  );
  if (devices.includes(redirect.device)) return;
  throw new Error(
    `the pod has no network interface ${redirect.device}, only ${devices.join(', ')}; set NETWORK_INTERFACE to one of these`,
  );
}

function familiesHere(): Family[] {
  try {
    return readFileSync('/proc/self/net/if_inet6', 'utf8').trim() === '' ? ['ip'] : ['ip', 'ip6'];
  } catch {
    return ['ip'];
  }
}

async function hasTable(table: string): Promise<boolean> {
  const { exitCode } = await runCommand(['nft', 'list', 'table', 'ip', table], { accept: [0, 1] });
  return exitCode === 0;
}

async function nft(input: string, timeoutMs = RENEW_INTERVAL_MS * 2): Promise<void> {
  await runCommand(['nft', '-f', '-'], { input, timeoutMs });
}

function say(message: InterceptorMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
