/** One request over HTTP, by way of a proxy where the environment names one, and of redirects. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Agent, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { homedir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { isLoopback } from './endpoints.ts';

/** A connection on which nothing comes for so long is given up. */
const IDLE_MS = 60_000;
const MOST_REDIRECTS = 5;

interface HttpRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly checksCertificate?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A server sends requests on to where they may not go. */
class RedirectError extends Error {
  override readonly name = 'RedirectError';
}

/** Nothing came for too long. */
class IdleError extends Error {
  override readonly name = 'IdleError';
}

export class HttpSender {
  readonly #env: NodeJS.ProcessEnv;
  readonly #idleMs: number;
  readonly #agents = new Map<string, Agent>();

  /** @param idleMs how long nothing may come before a connection is given up */
  constructor(env: NodeJS.ProcessEnv, idleMs: number = IDLE_MS) {
    this.#env = env;
    this.#idleMs = idleMs;
  }

  /** Resolves when the head of an answer is there that is no redirect. Errors of the connection are Node's. */
  async send(request: HttpRequest): Promise<IncomingMessage> {
    let current = request;
    for (let count = 0; ; count += 1) {
      const answer = await this.#once(current);
      const { statusCode = 0 } = answer;
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return answer;
      answer.resume();
      if (count === MOST_REDIRECTS) throw new RedirectError(`more than ${MOST_REDIRECTS} redirects`);
      current = redirected(current, location);
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #once({
    url,
    method = 'GET',
    headers = {},
    body,
    checksCertificate = true,
    signal,
  }: HttpRequest): Promise<IncomingMessage> {
    const module = url.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const sent = module.request(url, {
        ...{ method, headers, signal, agent: this.#agentOf(url, checksCertificate) },
        ...(body !== undefined && {
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        }),
      });
      let answer: IncomingMessage | undefined;
      sent.setTimeout(this.#idleMs, () => {
        const error = new IdleError(`nothing came for ${this.#idleMs / 1000} s`);
        if (answer === undefined) sent.destroy(error);
        else answer.destroy(error);
      });
      sent.once('error', reject);
      sent.once('response', (head) => {
        answer = head;
        resolve(head);
      });
      sent.end(body);
    });
  }

  #agentOf({ protocol, host }: URL, checksCertificate: boolean): Agent {
    const authorities = protocol === 'https:' ? authoritiesOf(host, this.#env) : undefined;
    // Proxies are for what is beyond this machine.
    const isDirect = isLoopback(host);
    const key = [protocol, isDirect, checksCertificate, authorities === undefined ? '' : host].join(' ');
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const options = {
      keepAlive: true,
      ...(isDirect ? {} : { proxyEnv: this.#env as Record<string, string> }),
    };
    const agent =
      protocol === 'https:'
        ? new https.Agent({
            ...options,
            rejectUnauthorized: checksCertificate,
            ...(authorities && { ca: authorities }),
          })
        : new http.Agent(options);
    this.#agents.set(key, agent);
    return agent;
  }
}

/** The request to where an answer sends it: what proves who one is goes to no other host, and nothing goes from TLS to where others read it. */
function redirected(request: HttpRequest, location: string): HttpRequest {
  const base = request.url;
  if (!URL.canParse(location, base.href))
    throw new RedirectError(`a redirect to ${JSON.stringify(location)}, which is no address`);
  const url = new URL(location, base.href);
  if (!/^https?:$/.test(url.protocol)) throw new RedirectError(`a redirect to ${url.protocol}`);
  if (base.protocol === 'https:' && url.protocol === 'http:' && !isLoopback(url.host)) {
    throw new RedirectError(`a redirect from TLS to ${url.origin} without it`);
  }
  const { authorization: _, ...others } = request.headers ?? {};
  return { ...request, url, headers: url.host === base.host ? (request.headers ?? {}) : others };
}

/** Authorities of a registry by the files that Docker and Podman look for, beside those that Node trusts; undefined where there are none. */
function authoritiesOf(host: string, env: NodeJS.ProcessEnv): string[] | undefined {
  const home = env['HOME'] ?? homedir();
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
  const folders = [
    '/etc/docker/certs.d',
    '/etc/containers/certs.d',
    join(config, 'docker/certs.d'),
    join(config, 'containers/certs.d'),
  ];
  const files = folders
    .map((folder) => join(folder, host))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.crt'))
        .map((name) => join(folder, name)),
    );
  return files.length === 0
    ? undefined
    : [...tls.rootCertificates, ...files.map((file) => readFileSync(file, 'utf8'))];
}
