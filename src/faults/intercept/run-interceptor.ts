import { readFileSync } from 'node:fs';
import { runCommand } from '../../experiment/node/command.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { type InterceptorConfig, type InterceptorMessage, REVERTED_EXIT_CODE } from './config.ts';
import {
  type Family,
  pauseRules,
  RENEW_INTERVAL_MS,
  redirectRules,
  removeRules,
  renewRules,
} from './rules.ts';

/** Something that answers what is redirected to it. */
interface Running {
  /** One for each port that is redirected. */
  readonly ports: readonly number[];
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Until rules are loaded for the first time, on a machine on which many interceptors start at once. */
const FIRST_RULES_LIMIT_MS = 15_000;
/** Longest time that what is under way may take after the end; whoever reverts waits for it. */
const DRAIN_MS = 300;

/** Serves and redirects until `ended` aborts or the rules are gone. @returns exit code */
export async function runInterceptor(line: string, ended: AbortSignal): Promise<number> {
  let running: Running | undefined;
  try {
    // The helper of the same release has written it.
    const config = JSON.parse(line) as InterceptorConfig;
    const families = familiesHere();
    assertDevice(config);
    running = await serve(config, families);
    await nft(redirectRules(config.table, families, config.redirect, running.ports), FIRST_RULES_LIMIT_MS);
    say({ kind: 'ready', ports: running.ports });
    const isRemoved = await renewUntil(config, families, ended);
    if (!isRemoved) await nft(pauseRules(config.table, families, config.redirect.ports));
    await running.close();
    if (!isRemoved) await nft(removeRules(config.table, families));
    return isRemoved ? REVERTED_EXIT_CODE : 0;
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    return 1;
  }
}

/** @returns whether the rules were removed by somebody else */
async function renewUntil(
  { table, redirect }: InterceptorConfig,
  families: readonly Family[],
  ended: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      await systemClock.sleep(RENEW_INTERVAL_MS, ended);
    } catch {
      return false;
    }
    try {
      await nft(renewRules(table, families, redirect.ports));
    } catch {
      if (!(await hasTable(table))) return true;
      // The machine is short of something; the rules hold for two more tries.
    }
  }
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
    return { ports: redirect.ports.map(() => names.port), close: () => names.close() };
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
    close: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close(DRAIN_MS, systemClock)));
    },
  };
}

function assertDevice({ redirect }: InterceptorConfig): void {
  if (redirect.kind !== 'inbound') return;
  const devices = [...readFileSync('/proc/self/net/dev', 'utf8').matchAll(/^\s*([^\s:|]+):/gm)].map(
    ([, name]) => name,
  );
  if (devices.includes(redirect.device)) return;
  throw new Error(
    `there is no interface ${redirect.device} in the pod, only ${devices.join(', ')}; set NETWORK_INTERFACE`,
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
