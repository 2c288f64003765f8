import type { ResolvedLoad } from './load.ts';

/** What the built-in loader is told, as JSON in its first argument. */
export interface LoaderPlan extends ResolvedLoad {
  /** It ends by itself after this time, should nobody end it. */
  readonly seconds: number;
}

/** Lines on the loader's standard output. */
export const LOADER_WORDS = { ready: 'ready', loaded: 'loaded', failed: 'failed ' } as const;

/** Program text for `node -e`; the plan follows as an argument. */
export function loaderSource(): string {
  return `(${loaderMain.toString()})(JSON.parse(process.argv[1]))`;
}

/**
 * The built-in loader. It is handed over as text, so that a bundle needs no file for it: it may use nothing from outside of
 * itself.
 *
 * It says `ready`, waits for a line, loads, and says `loaded`. The wait is for whoever moves it into a cgroup: what Node itself
 * needs is not the target's then. It ends with its standard input, so it never outlives its owner.
 */
export function loaderMain(plan: LoaderPlan): void {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const { availableParallelism } = process.getBuiltinModule('node:os');
  const say = (line: string): void => void writeSync(1, `${line}\n`);
  const quit = (): never => process.exit(0);
  const held: Buffer[] = [];

  /**
   * Uses a share of one CPU. Counts the CPU time it got, and so makes up for times when others had the CPU; never for more
   * than a quarter of a second, or it would be a burst afterwards.
   */
  const burn = ({ percent }: { percent: number }): void => {
    const { parentPort } = process.getBuiltinModule('node:worker_threads');
    const nap = new Int32Array(new SharedArrayBuffer(4));
    const spin = (ms: number): void => {
      const until = performance.now() + ms;
      while (performance.now() < until);
    };
    const run = (): void => {
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
        else
          Atomics.wait(nap, 0, 0, percent === 0 ? 1_000 : Math.min(50, Math.max(5, (-due * 100) / percent)));
      }
    };
    parentPort?.once('message', () => {
      parentPort.postMessage('loaded');
      run();
    });
  };

  /** Writes its share of a file again and again, each time down to the disk. The file has no name. */
  const churn = ({ directory, bytes, name }: { directory: string; bytes: number; name: string }): void => {
    const { parentPort } = process.getBuiltinModule('node:worker_threads');
    const { fsyncSync, openSync, unlinkSync, writeSync: write } = process.getBuiltinModule('node:fs');
    const chunk = process
      .getBuiltinModule('node:crypto')
      .randomBytes(Math.max(4_096, Math.min(bytes, 1024 * 1024)));
    parentPort?.once('message', () => {
      let file: number;
      try {
        file = openSync(`${directory}/${name}`, 'wx', 0o600);
        unlinkSync(`${directory}/${name}`);
      } catch (error) {
        parentPort.postMessage(`failed ${error instanceof Error ? error.message : String(error)}`);
        return;
      }
      parentPort.postMessage('loaded');
      for (;;) {
        try {
          for (let at = 0; at < bytes; at += chunk.length) {
            write(file, chunk, 0, Math.min(chunk.length, bytes - at), at);
          }
        } catch {
          // A full disk is an effect that was asked for, not an error.
        }
        fsyncSync(file);
      }
    });
  };

  /** Touches every page; the content differs from page to page, so that nothing can be merged or packed. */
  const fill = (bytes: number): void => {
    for (let left = bytes; left > 0; ) {
      const block = Buffer.allocUnsafeSlow(Math.min(left, 64 * 1024 * 1024));
      for (let at = 0; at < block.length; at += 4_096) block.writeUInt8((at / 4_096 + held.length) % 251, at);
      held.push(block);
      left -= block.length;
    }
  };

  const { cpu, memory, io } = plan;
  const jobs = [
    ...Array.from({ length: cpu === undefined ? 0 : cpu.workers || availableParallelism() }, () => ({
      work: burn.toString(),
      data: { percent: cpu?.percent ?? 0 },
    })),
    ...Array.from({ length: io?.workers ?? 0 }, (_, index) => ({
      work: churn.toString(),
      data: {
        directory: io?.directory ?? '',
        bytes: Math.ceil((io?.bytes ?? 0) / (io?.workers ?? 1)),
        name: `.turnsole-${process.pid}-${Date.now()}-${index}`,
      },
    })),
  ];
  const code = `const { workerData } = require('node:worker_threads'); (0, eval)('(' + workerData.work + ')')(workerData.data);`;
  const workers = jobs.map((job) => new Worker(code, { eval: true, workerData: job }));
  let waiting = workers.length;
  const begin = (): void => {
    if (memory !== undefined) fill(memory.mebibytes * 1024 * 1024);
    if (waiting === 0) say('loaded');
    for (const worker of workers) worker.postMessage('go');
  };
  for (const worker of workers) {
    worker.on('message', (word: string) => {
      waiting -= 1;
      if (word !== 'loaded') {
        say(word);
        process.exit(1);
      }
      if (waiting === 0) say('loaded');
    });
    worker.on('error', (error) => {
      say(`failed ${error.message}`);
      process.exit(1);
    });
  }
  process.stdin.once('data', begin);
  process.stdin.on('end', quit).on('error', quit);
  setTimeout(quit, plan.seconds * 1000);
  void Promise.all(workers.map((worker) => new Promise((online) => worker.once('online', online)))).then(() =>
    say('ready'),
  );
}
