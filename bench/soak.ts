/**
 * Memory under a long load: creates, updates and deletes with a bounded number of objects and watches attached.
 *
 * Prints resident memory, heap and external memory (after a collection) every 50,000 writes. The verdict is the slope
 * of the second half by least squares: the first half fills the bounded histories.
 *
 *   npm run bench:soak [-- --writes 1000000] [--json FILE]
 *
 * Ends with code 1 when memory grew.
 */
import { parseArgs } from 'node:util';
import { Connection } from './api/connection.ts';
import { ask, runLoad } from './api/load.ts';
import { CONFIG_MAP, POD, type Subject } from './api/objects.ts';
import { residentMegabytes } from './api/process.ts';
import { type Bench, openBench } from './api/round.ts';
import { startEmbedded, type Target } from './api/target.ts';
import { formatColumns, slope, writeJson } from './report.ts';

const CLIENTS = 16;
/** Objects of each kind that one client keeps. */
const KEPT = 50;
const WATCHES = 20;
const SAMPLE_EVERY = 50_000;
/** More than this is growth: 10 MB in a million writes is beyond what measuring garbage-collected memory can blur. */
const GROWTH_LIMIT_MB_PER_MILLION = 10;

/** Memory of the server after so many writes, in megabytes. */
interface Sample {
  readonly writes: number;
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { writes: { type: 'string', default: '1000000' }, json: { type: 'string' } },
  });
  const preload = new URL('./api/heap-preload.ts', import.meta.url).href;
  await using stack = new AsyncDisposableStack();
  const target = await startEmbedded(['--expose-gc', '--import', preload]);
  stack.defer(() => target.stop());
  const bench = await openBench(target, CLIENTS);
  stack.defer(() => bench.close());
  const writers = bench.clients.map((connection, index) => new Writer(connection, bench, `c${index}`));
  const watches = await Promise.all(Array.from({ length: WATCHES }, () => openWatch(bench)));
  stack.defer(() => {
    for (const watch of watches) watch.close();
  });
  const samples: Sample[] = [];
  console.log(`${CLIENTS} clients, ${CLIENTS * KEPT * 2} objects, ${WATCHES} watches; megabytes\n`);
  for (let writes = 0; writes < Number(values.writes); ) {
    let left = SAMPLE_EVERY;
    const { perSecond } = await runLoad(bench.clients, Number.POSITIVE_INFINITY, (connection) => {
      left -= 1;
      return left < 0 ? false : (writers[bench.clients.indexOf(connection)]?.write() ?? false);
    });
    writes += SAMPLE_EVERY;
    // Watches come and go: what they leave behind would show.
    watches.shift()?.close();
    watches.push(await openWatch(bench));
    const sample = { writes, ...(await readMemory(target)) };
    samples.push(sample);
    console.log(describe(sample, perSecond));
  }
  const late = samples.slice(Math.floor(samples.length / 2));
  const growth = (figure: (sample: Sample) => number): number =>
    slope(late.map((sample) => [sample.writes / 1e6, figure(sample)]));
  const perMillion = {
    resident: growth(({ resident }) => resident),
    live: growth(({ heap, external }) => heap + external),
  };
  // Resident memory breathes with the collector; only the live bytes after a collection must not grow.
  const isFlat = perMillion.live < GROWTH_LIMIT_MB_PER_MILLION;
  console.log(
    `\n${formatColumns(
      ['growth over the second half, MB per million writes', 'value'],
      [
        ['alive after a collection (heap and buffers)', perMillion.live.toFixed(1)],
        ['resident', perMillion.resident.toFixed(1)],
      ],
    )}\n\nverdict: memory ${isFlat ? 'is flat' : 'GROWS'}`,
  );
  await writeJson(values.json, { benchmark: 'soak', unit: 'MB', perMillion, isFlat, samples });
  process.exitCode = isFlat ? 0 : 1;
}

function describe({ writes, resident, heap, external }: Sample, perSecond: number): string {
  const cells = [resident, heap, external].map((value) => value.toFixed(1).padStart(7));
  const [residentCell, heapCell, externalCell] = cells;
  const rate = `${perSecond.toFixed(0)} writes/s`.padStart(14);
  return `${String(writes).padStart(8)} writes: resident ${residentCell}  heap ${heapCell}  external ${externalCell} ${rate}`;
}

/** Keeps a bounded number of objects: each is created, updated at random, and deleted when a new one is created. */
class Writer {
  readonly #connection: Connection;
  readonly #bench: Bench;
  readonly #prefix: string;
  readonly #kept: { readonly subject: Subject; readonly name: string }[] = [];
  #count = 0;

  constructor(connection: Connection, bench: Bench, prefix: string) {
    this.#connection = connection;
    this.#bench = bench;
    this.#prefix = prefix;
  }

  write(): Promise<unknown> {
    this.#count += 1;
    const isFull = this.#kept.length >= 2 * KEPT;
    if (isFull && this.#count % 2 === 0) {
      const chosen = this.#kept[Math.floor(Math.random() * this.#kept.length)];
      if (chosen !== undefined) return this.#send('PUT', chosen.subject, chosen.name);
    }
    const oldest = isFull ? this.#kept.shift() : undefined;
    if (oldest !== undefined)
      return ask(this.#connection, 'DELETE', `${this.#bench.collection(oldest.subject)}/${oldest.name}`);
    const subject = this.#count % 4 < 2 ? CONFIG_MAP : POD;
    const name = `${this.#prefix}-${this.#count}`;
    this.#kept.push({ subject, name });
    return this.#send('POST', subject, name);
  }

  #send(method: 'POST' | 'PUT', subject: Subject, name: string): Promise<unknown> {
    const collection = this.#bench.collection(subject);
    const path = method === 'POST' ? collection : `${collection}/${name}`;
    return ask(this.#connection, method, path, subject.body(name, this.#count));
  }
}

async function openWatch(bench: Bench): Promise<Connection> {
  const connection = await Connection.open(bench.target.config);
  await connection.stream(`${bench.collection(CONFIG_MAP)}?watch=1`, () => undefined);
  return connection;
}

async function readMemory({ pids, nextLine }: Target): Promise<Omit<Sample, 'writes'>> {
  const [pid] = pids;
  if (pid === undefined) throw new Error('the process of the server is not known');
  const answer = nextLine(/^heap (\d+) external (\d+)/);
  process.kill(pid, 'SIGUSR2');
  const [, heap, external] = await answer;
  const megabyte = 1024 * 1024;
  return {
    resident: residentMegabytes(pids),
    heap: Number(heap) / megabyte,
    external: Number(external) / megabyte,
  };
}

await main();
