/**
 * For test files that run in a process of their own: names what keeps the process after its tests are done, and ends it with 1. Without
 * this a socket that a failed test leaves open would keep the whole suite for ever. At its end it reports how long it took.
 */
import { after, afterEach } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { tellTime } from './file-times.ts';

/** Clusters and browsers take seconds to close, namespaces of an older Kubernetes more than a minute. */
const PATIENCE_MS = Number(process.env.TURNSOLE_TEST_PATIENCE_MS ?? 180_000);

// The runner itself loads this file as well, and so do workers and programs that tests fork; none of them has tests.
const file = process.argv[1] ?? '';
if (isMainThread && /(\.test|\.alone|\.together)\.ts$/.test(file)) {
  let timer: NodeJS.Timeout | undefined;
  process.once('exit', () => tellTime(file));
  after(() => {
    timer = setTimeout(() => {
      const left = process.getActiveResourcesInfo().join(', ');
      console.error(`the tests are done for ${PATIENCE_MS / 1000} s, and these keep the process: ${left}`);
      process.exit(1);
    }, PATIENCE_MS);
    timer.unref();
  });
  // A process that imports one test file after the other has no test left before each import: to Node that looks like the end.
  afterEach(() => {
    timer?.refresh();
  });
}
