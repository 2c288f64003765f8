/** A real Prometheus on a free port, scraping exporters of a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type HttpPeer, startPeer } from '../../../src/experiment/probes/testing/http-peer.ts';

/** Why there can be no Prometheus here, or false. */
export const prometheusMissing: string | false = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'prometheus')))
  ? false
  : 'takes the program prometheus (package prometheus of Debian)';

/** Values by the text of their metric with labels: `up{job="a"}`. */
export type Metrics = Map<string, number | 'NaN' | '+Inf'>;

/** A server under observation, and the Prometheus that observes it. */
export interface ObservedServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or with https. */
  readonly endpoint: string;
  /** What the server exports; may be changed at any time. */
  readonly metrics: Metrics;
}

/** Files of Prometheus' own web server, by name, and its web configuration in YAML. */
export interface WebConfig {
  readonly config: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Starts both; resolves when Prometheus answers requests and has scraped once. */
export async function startPrometheus(metrics: Metrics, web?: WebConfig): Promise<ObservedServer> {
  const scraped = Promise.withResolvers<void>();
  const exporter = await startPeer((_, response) => {
    const lines = [...metrics].map(([name, value]) => `${name} ${value}\n`);
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(lines.join(''));
    // The answer to the first scrape is stored before the second one is asked for.
    if (exporter.requests.length > 1) scraped.resolve();
  });
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configOf(exporter));
  for (const [name, text] of Object.entries({ ...web?.files, 'web.yml': web?.config ?? '' })) {
    await writeFile(join(folder, name), text);
  }
  const child = spawn(
    'prometheus',
    [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      '--web.config.file=web.yml',
      '--web.listen-address=127.0.0.1:0',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'close');
  const said: string[] = [];
  const port = Promise.withResolvers<string>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    const [, found] = /msg="?Listening on"? address=127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (found !== undefined) port.resolve(found);
  });
  void ended.then(() => {
    const error = new Error(`prometheus has ended:\n${said.slice(-10).join('\n')}`);
    port.reject(error);
    scraped.reject(error);
  });
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await exporter[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const endpoint = `${web === undefined ? 'http' : 'https'}://127.0.0.1:${await port.promise}`;
    await scraped.promise;
    return { endpoint, metrics, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function configOf(exporter: HttpPeer): string {
  return `
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs:
  - job_name: test
    static_configs: [{ targets: ['${new URL(exporter.url).host}'] }]
`;
}
