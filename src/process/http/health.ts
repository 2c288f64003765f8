import { type HttpReply, textReply } from '@turnsole/kube/serve/reply';
import { type Certificate, type HttpServer, startHttpServer } from '@turnsole/kube/serve/server';
import { messageOf } from '@turnsole/kube/text/error-message';
import { aborted } from '../signals.ts';

/** A named question to the process; throws or rejects when the answer is no. */
interface HealthCheck {
  readonly name: string;
  /** `healthz`: the process should be restarted when it fails; `readyz`: no traffic meanwhile. */
  readonly kind: 'healthz' | 'readyz';
  check(signal: AbortSignal): void | Promise<void>;
}

/** Further pages, such as /metrics. */
export type HealthPage = () => Promise<Omit<HttpReply, 'status'>>;

interface HealthServerOptions {
  /** 0 = any free one. */
  readonly port: number;
  /** @default all addresses, as the kubelet asks by the pod's */
  readonly host?: string;
  /** HTTPS with this. @default plain HTTP */
  readonly certificate?: Certificate | undefined;
  readonly checks?: readonly HealthCheck[];
  /** By path: `/metrics`. Messages call them metrics. */
  readonly pages?: Readonly<Record<string, HealthPage>>;
  /** Called with an error of the server once it listens; it goes on listening. @default ignored */
  readonly onServerError?: (error: Error) => void;
}

/** A check that hangs is a check that fails; the kubelet itself gives up after a second by default. */
const CHECK_TIMEOUT_MS = 900;

/**
 * Serves `/healthz` and `/readyz`: 200 `ok`, or 503 with the names and reasons of what failed; `?verbose` lists all. A single check
 * is at `/healthz/NAME`. (The form of the Kubernetes components' own endpoints.)
 *
 * @throws Error that names the port when it is in use
 */
export function startHealthServer(options: HealthServerOptions): Promise<HttpServer> {
  const { port, host, certificate, onServerError } = options;
  return startHttpServer({
    what: servedBy(options),
    address: { port, host },
    ...(certificate === undefined ? {} : { certificate }),
    ...(onServerError === undefined ? {} : { onServerError }),
    answer: ({ url = '/', method = 'GET' }) => answer(url, method, options),
  });
}

/** What its owner opens such a server for. Pure. */
function servedBy({ checks, pages }: HealthServerOptions): string {
  if (pages === undefined) return 'health checks';
  return checks === undefined ? 'metrics' : 'metrics and health checks';
}

async function answer(url: string, method: string, options: HealthServerOptions): Promise<HttpReply> {
  const [path = '/', query = ''] = url.split('?', 2);
  if (method !== 'GET' && method !== 'HEAD') return textReply(405, 'only GET is served\n');
  const page = options.pages?.[path];
  if (page !== undefined) return { status: 200, ...(await page()) };
  const [, kind = '', name] = path.split('/');
  if (kind !== 'healthz' && kind !== 'readyz') return textReply(404, 'not found\n');
  const all = (options.checks ?? []).filter((check) => check.kind === kind);
  const checks = name === undefined ? all : all.filter((check) => check.name === name);
  if (name !== undefined && checks.length === 0) return textReply(404, 'no such check\n');
  const report = reportOf(kind, await Promise.all(checks.map(runCheck)), /(^|&)verbose\b/.test(query));
  return textReply(report.code, report.text);
}

/** How one check ended; `failure` is absent when it went well. */
interface CheckResult {
  readonly name: string;
  readonly failure?: string;
}

/** What the endpoint says about its checks. Pure. */
export function reportOf(
  kind: string,
  results: readonly CheckResult[],
  isVerbose: boolean,
): { readonly code: number; readonly text: string } {
  const hasFailed = results.some(({ failure }) => failure !== undefined);
  if (!hasFailed && !isVerbose) return { code: 200, text: 'ok\n' };
  const lines = results.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  );
  const summary = `${kind} check ${hasFailed ? 'failed' : 'passed'}`;
  return { code: hasFailed ? 503 : 200, text: `${[...lines, summary].join('\n')}\n` };
}

async function runCheck(check: HealthCheck): Promise<CheckResult> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const late = aborted(signal).then(() =>
    Promise.reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)),
  );
  try {
    await Promise.race([Promise.resolve().then(() => check.check(signal)), late]);
    return { name: check.name };
  } catch (error) {
    return { name: check.name, failure: messageOf(error) };
  }
}
