import type { Server, ServerResponse } from 'node:http';

/** A named question to the process; throws or rejects when the answer is no. */
export interface HealthCheck {
  readonly name: string;
  /** `healthz`: the process should be restarted when it fails; `readyz`: no traffic meanwhile. */
  readonly kind: 'healthz' | 'readyz';
  check(signal: AbortSignal): void | Promise<void>;
}

/** Further pages, such as /metrics. */
export type HealthPage = () => Promise<{ readonly contentType: string; readonly body: string }>;

export interface HealthServerOptions {
  /** 0 = any free one. */
  readonly port: number;
  /** @default all addresses, as the kubelet asks by the pod's */
  readonly host?: string;
  readonly checks?: readonly HealthCheck[];
  /** By path: `/metrics`. */
  readonly pages?: Readonly<Record<string, HealthPage>>;
}

/** A running health server. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A check that hangs is a check that fails; the kubelet itself gives up after a second by default. */
const CHECK_TIMEOUT_MS = 900;

/**
 * Serves `/healthz` and `/readyz`: 200 `ok`, or 503 with the names and reasons of what failed; `?verbose` lists all. A single check
 * is at `/healthz/NAME`. (The form of the Kubernetes components' own endpoints.)
 *
 * @throws Error that names the port when it is in use
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((request, response) => {
    answer(request.url ?? '/', request.method ?? 'GET', options, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`${messageOf(error)}\n`);
    });
  });
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, options: HealthServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const isInUse = 'code' in error && error.code === 'EADDRINUSE';
      const problem = isInUse ? 'the port is in use; choose another one or stop who has it' : error.message;
      reject(new Error(`cannot serve health checks on port ${options.port}: ${problem}`, { cause: error }));
    });
    server.listen(options.port, options.host, resolve);
  });
}

async function answer(
  url: string,
  method: string,
  options: HealthServerOptions,
  response: ServerResponse,
): Promise<void> {
  const [path = '/', query = ''] = url.split('?', 2);
  if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'only GET is served\n');
  const page = options.pages?.[path];
  if (page !== undefined) {
    const { contentType, body } = await page();
    return send(response, 200, body, contentType);
  }
  const [, kind = '', name] = path.split('/');
  if (kind !== 'healthz' && kind !== 'readyz') return send(response, 404, 'not found\n');
  const all = (options.checks ?? []).filter((check) => check.kind === kind);
  const checks = name === undefined ? all : all.filter((check) => check.name === name);
  if (name !== undefined && checks.length === 0) return send(response, 404, 'no such check\n');
  const report = reportOf(kind, await Promise.all(checks.map(runCheck)), /(^|&)verbose\b/.test(query));
  return send(response, report.code, report.text);
}

/** How one check ended; `failure` is absent when it went well. */
export interface CheckResult {
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
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([Promise.resolve().then(() => check.check(signal)), promise]);
    return { name: check.name };
  } catch (error) {
    return { name: check.name, failure: messageOf(error) };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function send(
  response: ServerResponse,
  code: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(code, { 'content-type': contentType, 'cache-control': 'no-cache' });
  response.end(body);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
