/** An exporter in this process, and the pages it gives, for tests. */
import assert from 'node:assert/strict';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { type Logger, silentLogger } from '@turnsole/kube/base/log';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import { until } from '@turnsole/kube/testing/until';
import { runExporter } from '../run-exporter.ts';

/** A page, sample by sample. */
export class Samples {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Values of the samples of a metric whose labels contain all of these texts, such as `chaosresult_name="web"`. */
  of(name: string, ...labels: readonly string[]): number[] {
    return this.text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => labels.every((label) => line.includes(label)))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  }
}

export interface RunningExporter extends AsyncDisposable {
  readonly port: number;
  /** Reads the page. @throws Error with the answer when it is none */
  scrape(): Promise<Samples>;
  /** Asks again until the page is as wanted; the last one is in the message when it never is. */
  scrapeUntil(isWanted: (samples: Samples) => boolean, what: string): Promise<Samples>;
  /** Ends it as SIGTERM does, and gives its exit code. */
  stop(): Promise<number>;
}

/** What a test sets beside the usual. */
interface ExporterChange {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Starts an exporter of a namespace or, with an empty one, of the cluster, and waits until it is ready. */
export async function startExporter(
  config: ClusterConfig,
  namespace: string,
  { env = {}, clock = systemClock, logger = silentLogger }: ExporterChange = {},
): Promise<RunningExporter> {
  const ending = new AbortController();
  const listening = Promise.withResolvers<number>();
  const ended = runExporter(
    ['-metrics-bind-address=127.0.0.1:0'],
    { WATCH_NAMESPACE: namespace, ...env },
    {
      config,
      clock,
      signal: ending.signal,
      logger,
      version: '0.0.0-test',
      onListening: listening.resolve,
    },
  );
  const port = await Promise.race([
    listening.promise,
    ended.then((code) => assert.fail(`the exporter ended with ${code}`)),
  ]);
  const scrape = async (): Promise<Samples> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
    return new Samples(text);
  };
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200, 'ready');
  const stop = (): Promise<number> => {
    ending.abort(new Error('the test stops it'));
    return ended;
  };
  return {
    port,
    scrape,
    scrapeUntil: async (isWanted, what) => {
      let last = await scrape();
      await until(
        async () => {
          last = await scrape();
          return isWanted(last);
        },
        () => `${what}; the last page:\n${last.text.slice(0, 4000)}`,
      );
      return last;
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
