/**
 * The exporter of a cluster with many results: how long a scrape takes, what memory it needs, and whether that grows while results come
 * and go.
 *
 * The exporter is a process of its own, started from the bundle of the image, against an embedded API server.
 *
 * With `--peer`, upstream's exporter is measured after it with the same results, and the series of both are compared.
 *
 *   npm run bench:exporter [-- --results 10000 --scrapes 1000 --peer PROGRAM --peer-port 8080 --json FILE]
 */
import { parseArgs } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../src/api/index.ts';
import { defineRunKinds } from '../src/components/subscriber/testing/infrastructure.ts';
import { cpuSeconds, exactCpuMs, highestMegabytes, residentMegabytes } from './api/process.ts';
import { compareSeries } from './exporter/compare-series.ts';
import { type ExporterProcess, startExporterProcess, startPeerProcess } from './exporter/exporter-process.ts';
import { endedResult, forEach, NAMESPACES_USED, namespaceOf, storeRun } from './exporter/objects.ts';
import { formatTable, median, slope, summarize, writeJson } from './report.ts';

const WARM_SCRAPES = 30;
/** Runs that come, and as many that go, between two scrapes. */
const CHANGES = 10;

const { values } = parseArgs({
  options: {
    results: { type: 'string', default: '10000' },
    scrapes: { type: 'string', default: '1000' },
    peer: { type: 'string' },
    'peer-port': { type: 'string', default: '8080' },
    json: { type: 'string' },
  },
});
const [results = 0, scrapes = 0] = [values.results, values.scrapes].map(Number);

await using stack = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(1)));
}
const api = stack.use(await startApi(createApiServer));
await defineRunKinds(api.client);
await forEach(0, NAMESPACES_USED, async (index) => {
  await api.client.create(NAMESPACES, { metadata: { name: namespaceOf(index) } });
});
await forEach(0, results, (index) => storeRun(api.client, index));
console.error(`${results} results are stored`);

let [oldest, newest] = [0, results];
const exporter = await startExporterProcess(api.server.kubeconfigPath, stack);
const outcome = await measure(exporter);
const peer = values.peer === undefined ? undefined : await besidePeer(values.peer);
await writeJson(values.json, { benchmark: 'exporter', results, ...outcome, ...(peer && { peer }) });

async function besidePeer(program: string): Promise<object> {
  const theirs = startPeerProcess([program, Number(values['peer-port'])], api.server.kubeconfigPath, stack);
  console.log(`\n${program}:`);
  const figures = await measure(theirs);
  // Both may be behind the last changes; no event could be awaited here for them.
  for (const one of [exporter, theirs]) await one.until(results * 9);
  const differences = compareSeries(await exporter.page(), await theirs.page());
  console.log(differences.map((line) => `- ${line}`).join('\n'));
  return { ...figures, differences };
}

async function measure(exporter: ExporterProcess): Promise<object> {
  const startedAt = performance.now();
  await exporter.until(results * 9);
  const readyMs = performance.now() - startedAt;
  const { samples, bytes } = await exporter.scrape();
  const highestAtFirst = highestMegabytes(exporter.pid);
  const still = await scrapesOf(exporter, WARM_SCRAPES);
  const cpuBefore = cpuSeconds([exporter.pid]);
  const memory: (readonly [scrape: number, megabytes: number])[] = [];
  const moving: number[] = [];
  /** Processor time of the exporter alone while a page is read: unlike the time, a busy machine adds nothing to it. */
  const used: number[] = [];
  for (let scrape = 0; scrape < scrapes; scrape += 1) {
    await change();
    const usedBefore = exactCpuMs(exporter.pid);
    moving.push((await exporter.scrape()).ms);
    used.push(exactCpuMs(exporter.pid) - usedBefore);
    memory.push([scrape, residentMegabytes([exporter.pid])]);
  }
  const cpu = cpuSeconds([exporter.pid]) - cpuBefore;
  console.log(
    `first whole page after ${readyMs.toFixed(0)} ms, ${samples} samples of results, ${bytes} bytes`,
  );
  console.log(
    formatTable([
      { title: 'scrape, nothing changes, ms', ...summarize(still) },
      ...(moving.length === 0
        ? []
        : [
            { title: 'scrape, results come and go, ms', ...summarize(moving) },
            { title: 'its processor time, ms', ...summarize(used) },
          ]),
    ]),
  );
  const half = memory.slice(memory.length / 2);
  const megabytes = half.map(([, value]) => value);
  if (half.length > 1) {
    console.log(
      `memory: ${median(megabytes).toFixed(0)} MB, at most ${Math.max(...memory.map(([, value]) => value)).toFixed(0)}; ` +
        `growth over the second half: ${(slope(half) * 1000).toFixed(1)} MB per 1,000 scrapes; ` +
        `${((cpu / scrapes) * 1000).toFixed(0)} ms of processor time per scrape`,
    );
  }
  const highest = highestMegabytes(exporter.pid);
  console.log(
    `most that was ever resident: ${highestAtFirst.toFixed(0)} MB up to the first page, ${highest.toFixed(0)} to the end`,
  );
  return { readyMs, highestAtFirst, highest, samples, bytes, still, moving, used, memory, cpu };
}

async function scrapesOf(exporter: ExporterProcess, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let scrape = 0; scrape < count; scrape += 1) times.push((await exporter.scrape()).ms);
  return times;
}

/** The oldest runs are deleted, and as many new ones stored. */
async function change(): Promise<void> {
  await forEach(oldest, oldest + CHANGES, async (index) => {
    const place = { namespace: namespaceOf(index) };
    await api.client.delete(CHAOS_RESULTS, endedResult(index).metadata.name, place);
    await api.client.delete(CHAOS_ENGINES, `run-${index}`, place);
  });
  await forEach(newest, newest + CHANGES, (index) => storeRun(api.client, index));
  oldest += CHANGES;
  newest += CHANGES;
}
