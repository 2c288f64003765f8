import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { createMetrics } from '../../process/metrics.ts';
import { engineMetrics, type MetricFamily } from './engine-metrics.ts';
import { scrapeEngine } from './observed.ts';
import type { TextPage } from './page.ts';
import { resultFigures } from './result-figures.ts';
import { type ResultMemories, remember } from './result-memory.ts';
import type { ExporterSettings } from './settings.ts';

/** Options of an engine's exporter. */
interface EngineExporterOptions {
  readonly client: Pick<KubeClient, 'find' | 'list' | 'raw'>;
  readonly clock: Clock;
  readonly engine: { readonly name: string; readonly namespace: string };
  readonly settings: Pick<ExporterSettings, 'verdictIntervalMs'> & { readonly appUid: string };
  readonly signal: AbortSignal;
}

/**
 * The metrics of one engine, read from the API server at each scrape: between two scrapes it does nothing, and the metrics are never
 * older than the scrape. Scrapes at the same time share one look.
 */
export class EngineExporter {
  readonly #options: EngineExporterOptions;
  /** Metrics of this process: memory, CPU, event loop. */
  readonly #process = createMetrics();
  #memories: ResultMemories = new Map();
  #version: string | undefined;
  #underWay: Promise<TextPage> | undefined;

  constructor(options: EngineExporterOptions) {
    this.#options = options;
  }

  /**
   * The page for /metrics. An engine that is gone has no samples.
   *
   * @throws ApiError, ConnectionError: a scrape that fails is better than one that shows what was
   */
  page(): Promise<TextPage> {
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #look(): Promise<TextPage> {
    const [families, own] = await Promise.all([this.#families(), this.#process.page()]);
    // A registry for each page: series of deleted objects cannot stay behind.
    const page = createMetrics({ withProcess: false });
    for (const { name, help, samples } of families) {
      const [first] = samples;
      if (first === undefined) continue;
      const gauge = page.gauge(name, help, Object.keys(first.labels));
      for (const { labels, value } of samples) gauge.set(value, labels);
    }
    return { contentType: own.contentType, body: `${(await page.page()).body}${own.body}` };
  }

  async #families(): Promise<MetricFamily[]> {
    const { client, clock, engine, settings, signal } = this.#options;
    const observed = await scrapeEngine(client, engine, signal);
    if (observed === undefined) return [];
    const figures = resultFigures(observed);
    const nowMs = clock.now();
    this.#memories = remember(this.#memories, figures, nowMs);
    return engineMetrics(observed, figures, {
      appUid: settings.appUid,
      kubernetesVersion: await this.#kubernetesVersion(),
      memories: this.#memories,
      nowMs,
      verdictIntervalMs: settings.verdictIntervalMs,
    });
  }

  /** Asked once; empty for as long as the API server does not say. */
  async #kubernetesVersion(): Promise<string> {
    if (this.#version !== undefined) return this.#version;
    const { client, signal } = this.#options;
    try {
      const { gitVersion } = await client.raw<{ gitVersion?: string }>('GET', '/version', undefined, {
        signal,
      });
      this.#version = gitVersion ?? '';
    } catch {
      signal.throwIfAborted();
    }
    return this.#version ?? '';
  }
}
