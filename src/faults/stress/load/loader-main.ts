/**
 * The built-in loader: a process of its own, started by a helper with a plan as its argument.
 *
 * It says `ready`, waits for a line, loads, and says `loaded`. The wait is for the process that moves it into a cgroup: what Node itself
 * needs is not the target's then. It ends with its standard input, so it never outlives its owner. Its threads run this file, too.
 */

import { randomBytes } from 'node:crypto';
import { fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { LoaderPlan } from './loader.ts';

/** The job of a thread: `{ percent }` of a CPU, or a share of the writing. */
type Job =
  | { readonly kind: 'cpu'; readonly percent: number }
  | { readonly kind: 'io'; readonly directory: string; readonly bytes: number; readonly name: string };

/** As {@link import('./loader.ts').LOADER_WORDS}; nothing is loaded for them. */
const WORDS = { ready: 'ready', loaded: 'loaded', failed: 'failed ' } as const;
const MEBIBYTE = 1024 * 1024;
const PAGE = 4_096;

if (isMainThread) load(JSON.parse(process.argv[2] ?? '{}') as LoaderPlan);
else parentPort?.once('message', () => work(workerData as Job));

function work(job: Job): void {
  if (job.kind === 'cpu') burn(job.percent);
  else churn(job);
}

/**
 * Uses a share of one CPU. Counts the CPU time it got, and so makes up for times when others had the CPU; never for more than a
 * quarter of a second, or it would be a burst afterwards.
 */
function burn(percent: number): never {
  parentPort?.postMessage(WORDS.loaded);
  const nap = new Int32Array(new SharedArrayBuffer(4));
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let wallFrom = performance.now();
  const usedFrom = used();
  for (;;) {
    const due = ((performance.now() - wallFrom) * percent) / 100 - (used() - usedFrom);
    if (due > 250) wallFrom += ((due - 250) * 100) / percent;
    if (due > 0) spin(Math.min(5, due));
    else Atomics.wait(nap, 0, 0, percent === 0 ? 1_000 : Math.min(50, Math.max(5, (-due * 100) / percent)));
  }
}

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Writes its share of a file again and again, each time down to the disk. The file has no name. */
function churn({ directory, bytes, name }: Extract<Job, { kind: 'io' }>): void {
  const chunk = randomBytes(Math.max(PAGE, Math.min(bytes, MEBIBYTE)));
  let file: number;
  try {
    file = openSync(`${directory}/${name}`, 'wx', 0o600);
    unlinkSync(`${directory}/${name}`);
  } catch (error) {
    parentPort?.postMessage(`${WORDS.failed}${messageOf(error)}`);
    return;
  }
  parentPort?.postMessage(WORDS.loaded);
  for (;;) {
    unlessFull(() => {
      for (let at = 0; at < bytes; at += chunk.length) {
        writeSync(file, chunk, 0, Math.min(chunk.length, bytes - at), at);
      }
    });
    // Also what was written before the disk was full goes down to it.
    unlessFull(() => fsyncSync(file));
  }
}

/** A full disk or quota is an effect that was asked for, not an error. Where space is allocated late, fsync(2) is what reports it. */
function unlessFull(step: () => void): void {
  try {
    step();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
  }
}

const held: Buffer[] = [];

/** Touches every page; the content differs from page to page, so that nothing can be merged or packed. */
function fill(bytes: number): void {
  for (let left = bytes; left > 0; ) {
    const block = Buffer.allocUnsafeSlow(Math.min(left, 64 * MEBIBYTE));
    for (let at = 0; at < block.length; at += PAGE) block.writeUInt8((at / PAGE + held.length) % 251, at);
    held.push(block);
    left -= block.length;
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function quit(): never {
  process.exit(0);
}

function jobsOf({ cpu, io }: LoaderPlan): Job[] {
  const burners = cpu === undefined ? 0 : cpu.workers || availableParallelism();
  const writers = io?.workers ?? 0;
  return [
    ...Array.from({ length: burners }, (): Job => ({ kind: 'cpu', percent: cpu?.percent ?? 0 })),
    ...Array.from(
      { length: writers },
      (_, index): Job => ({
        kind: 'io',
        directory: io?.directory ?? '',
        bytes: Math.ceil((io?.bytes ?? 0) / writers),
        name: `.turnsole-${process.pid}-${Date.now()}-${index}`,
      }),
    ),
  ];
}

function load(plan: LoaderPlan): void {
  const workers = jobsOf(plan).map((job) => new Worker(import.meta.filename, { workerData: job }));
  let waiting = workers.length;
  for (const worker of workers) {
    worker.on('message', (word: string) => {
      waiting -= 1;
      if (word !== WORDS.loaded) {
        say(word);
        process.exit(1);
      }
      if (waiting === 0) say(WORDS.loaded);
    });
    worker.on('error', (error) => {
      say(`${WORDS.failed}${error.message}`);
      process.exit(1);
    });
  }
  process.stdin.once('data', () => {
    if (plan.memory !== undefined) fill(plan.memory.mebibytes * MEBIBYTE);
    if (waiting === 0) say(WORDS.loaded);
    for (const worker of workers) worker.postMessage('go');
  });
  process.stdin.on('end', quit).on('error', quit);
  setTimeout(quit, plan.seconds * 1000);
  void Promise.all(workers.map((worker) => new Promise((online) => worker.once('online', online)))).then(
    () => {
      // It is killed in the end, and Node would keep nothing then.
      flushCompileCache();
      say(WORDS.ready);
    },
  );
}
