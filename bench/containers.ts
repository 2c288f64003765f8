/**
 * From the creation of a pod to its status Running, for a stand-in and for the same program as a container of an image in the store,
 * alternately (as root). Prints a table and, with `--json FILE`, writes it. `--pods N` of each (default 20).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '@turnsole/cluster';
import { openImageStore } from '@turnsole/cluster/images/open-image-store';
import { baseLayer } from '@turnsole/cluster/node/testing/application-images';
import { writeOciImage } from '@turnsole/cluster/node/testing/oci-image';
import { PODS, type Pod } from '@turnsole/kube';
import { formatTable, summarize, writeJson } from './report.ts';

const { values: options } = parseArgs({
  options: { pods: { type: 'string', default: '20' }, json: { type: 'string' } },
});

const folder = mkdtempSync(join(tmpdir(), 'turnsole-bench-'));
const store = await openImageStore({ directory: join(folder, 'store') });
await store.load(writeOciImage(folder, { name: 'docker.io/bench/base:1', layers: [baseLayer()] }));
const imageStore = { mayHaveAny: () => true, open: () => Promise.resolve(store) };
const cluster = await startCluster({ isolation: 'full', imageStore });

/** Milliseconds from the request to the status that says that it runs. */
async function startPod(name: string, image: string): Promise<number> {
  const started = performance.now();
  const containers = [{ name: 'c', image, command: ['/bin/sh', '-c', 'echo up; exec sleep 600'] }];
  await cluster.client.create<Pod>(
    PODS,
    { metadata: { name }, spec: { containers } },
    { namespace: 'default' },
  );
  await cluster.waitFor<Pod>(PODS, name, (pod) => pod?.status?.phase === 'Running');
  const tookMs = performance.now() - started;
  await cluster.client.delete<Pod>(PODS, name, { namespace: 'default' });
  await cluster.waitFor<Pod>(PODS, name, (pod) => pod === undefined);
  return tookMs;
}

const KINDS = [
  { title: 'a stand-in runs, ms', image: 'turnsole/shell', tookMs: [] as number[] },
  { title: 'a container of an image runs, ms', image: 'bench/base:1', tookMs: [] as number[] },
];
// The first of each loads code, and copies the tools.
for (let count = -1; count < Number(options.pods); count++) {
  for (const [index, { image, tookMs }] of KINDS.entries()) {
    const ms = await startPod(`p${index}-${count + 1}`, image);
    if (count >= 0) tookMs.push(ms);
  }
}
await cluster.close({ graceMs: 0 });
await store.close();
rmSync(folder, { recursive: true, force: true });

const rows = KINDS.map(({ title, tookMs }) => ({ title, ...summarize(tookMs) }));
console.log(formatTable(rows));
await writeJson(options.json, { options, rows });
