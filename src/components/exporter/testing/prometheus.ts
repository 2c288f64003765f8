/** Debian's Prometheus, for tests: what it makes of our pages, queries and rules. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { until } from '@turnsole/kube/testing/until';

const run = promisify(execFile);

/** Why these tests cannot run here; undefined where they can. */
export async function lackOfPrometheus(): Promise<string | undefined> {
  for (const program of ['prometheus', 'promtool']) {
    const found = await run(program, ['--version']).catch(() => undefined);
    if (found === undefined) return `takes ${program}`;
  }
  return undefined;
}

/** Gives a text to promtool; resolves to all that it says, whatever its exit code is. */
export async function promtool(args: readonly string[], input = ''): Promise<{ code: number; said: string }> {
  const child = spawn('promtool', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  // It ends without reading where it checks files.
  child.stdin.on('error', () => {}).end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

/** One series of the answer to a query. */
interface Answer {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A Prometheus that scrapes one target each second. */
export class RunningPrometheus implements AsyncDisposable {
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url;
    this.#stop = stop;
  }

  static async start(targetPort: number, rules: string): Promise<RunningPrometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'turnsole-prometheus-'));
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'chaos', static_configs: [{ targets: [`127.0.0.1:${targetPort}`] }] }],
    };
    // JSON is YAML.
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const [port = 0] = await freePorts(1);
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    );
    const ended = once(child, 'exit');
    const stop = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    const prometheus = new RunningPrometheus(`http://127.0.0.1:${port}`, stop);
    const isReady = (): Promise<boolean> =>
      fetch(`${prometheus.#url}/-/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(async () => child.exitCode !== null || (await isReady()), 'Prometheus is ready');
    assert.equal(child.exitCode, null, 'Prometheus runs');
    return prometheus;
  }

  /** Evaluates an expression now. @throws Error with what Prometheus says against it */
  async query(expression: string): Promise<readonly Answer[]> {
    const response = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    // The form of Prometheus' API.
    const { data, error } = (await response.json()) as { data?: { result: Answer[] }; error?: string };
    if (data === undefined) throw new Error(`${expression}: ${error}`);
    return data.result;
  }

  /** Asks until the expression has an answer. */
  untilAnswered(expression: string): Promise<readonly Answer[]> {
    return this.until(expression, (answers) => answers.length > 0);
  }

  /** Asks until the answers are as wanted: when a machine is busy, a scrape comes late and its series are gone for a moment. */
  async until(
    expression: string,
    isWanted: (answers: readonly Answer[]) => boolean,
  ): Promise<readonly Answer[]> {
    let found: readonly Answer[] = [];
    await until(
      async () => {
        found = await this.query(expression);
        return isWanted(found);
      },
      () => `${expression}: ${JSON.stringify(found)}`,
    );
    return found;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}
