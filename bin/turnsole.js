#!/usr/bin/env node
/**
 * Entry point of the `turnsole` command.
 *
 * Plain JavaScript that any Node since 18 understands: Turnsole itself needs Node 24. Where Node is older, this file finds one and hands over:
 * that of TURNSOLE_NODE, the one that `npm ci` has installed in a checkout, or one that npm installs once for Turnsole alone.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { Socket } from 'node:net';
import { constants as os } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot, MINIMUM_NODE, makeOwnFolder } from './common.js';

const source = new URL('../src/cli/main.ts', import.meta.url);
// The published package and the image have the bundle only. Where the sources are, an old bundle must not hide an edit.
const main = existsSync(source) ? source : new URL('../dist/main.js', import.meta.url);

/**
 * Options of Node for processes that live long beside others' work. Node's own let garbage grow to twice what is alive, and to
 * 48 MB before anything is collected at all; with these an operator with 10,000 engines needs a third less memory and a third
 * more of its little processor time (`npm run bench:operator`).
 */
const SMALL_HEAP = ['--max-semi-space-size=4', '--heap-growing-percent=30'];
/** V8 also keeps less optimised code: a tenth of the memory for a tenth more processor time (`npm run bench:workflow`). */
const SMALL_CODE = [...SMALL_HEAP, '--optimize-for-size'];
/**
 * Of large logs nearly all is garbage at once: collected after each megabyte it never becomes many, and what outlives that is collected by
 * the log's own reader, which needs a way to ask for it (`npm run bench:subscriber`).
 */
const SMALL_GARBAGE = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=30',
  '--optimize-for-size',
  '--expose-gc',
];
const OPTIONS = new Map([
  ['operator', SMALL_HEAP],
  ['workflow-controller', SMALL_CODE],
  ['subscriber', SMALL_GARBAGE],
  ['event-tracker', SMALL_CODE],
  ['exporter', SMALL_CODE],
]);

/** Names the descriptor by which the second process learns that the first one is gone. */
const PARENT_PIPE = 'TURNSOLE_PARENT_PIPE';

if (Number.parseInt(process.versions.node, 10) >= MINIMUM_NODE) {
  startAnewWith(OPTIONS.get(process.argv[2]) ?? []);
  endWithParent();
  // Caching compiled code also caches type stripping: a start costs about half.
  const cache = join(cacheRoot(), 'turnsole', 'compile-cache');
  // Node never ends to make folders below one that refuses them as /proc does (a HOME that is none).
  // It does nothing where the user has set another folder for Node (NODE_COMPILE_CACHE).
  // Node runs what it finds there.
  if (makeOwnFolder(cache)) module.enableCompileCache(cache);
  const { runCli } = await import(main.href);
  await runCli(process.argv.slice(2));
} else {
  handOver(await foundNode());
}

/**
 * Puts this command with further options of Node in the place of this process (execve): the heap's sizes are fixed when Node starts.
 * What the user has set stays; returns where nothing is to be added, or the system cannot do it.
 */
function startAnewWith(options) {
  const given = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`.replaceAll('_', '-');
  const missing = options.filter((option) => !given.includes(option.split('=')[0]));
  if (missing.length === 0 || process.execve === undefined) return;
  const args = [process.execPath, ...missing, ...process.execArgv, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, process.env);
  } catch {
    // Not on this system: it works with Node's own options as well.
  }
}

/**
 * Ends this process as SIGTERM would, with everything reverted, when the process that handed over to it is gone: after kill -9 of the
 * process that one sees, nothing else would tell. A second loss cannot come.
 */
function endWithParent() {
  const descriptor = Number(process.env[PARENT_PIPE] ?? '');
  // Not for the pods and helpers that this process starts.
  delete process.env[PARENT_PIPE];
  if (!Number.isInteger(descriptor) || descriptor < 3) return;
  try {
    const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
    pipe.on('close', () => process.kill(process.pid, 'SIGTERM'));
    pipe.on('error', () => {});
    pipe.resume();
    pipe.unref();
  } catch {
    // The descriptor did not come along: then this process ends by the signals that it gets.
  }
}

/** Path of a Node that is new enough. Ends the process where there is none: without a Node nothing runs. */
async function foundNode() {
  try {
    return (await import('./find-node.js')).findNode();
  } catch (error) {
    console.error(`turnsole: ${error.message}`);
    return process.exit(3);
  }
}

/** Runs the command under another Node and ends as it ends. */
function handOver(node) {
  // A pipe that nobody writes to: the kernel closes it when this process ends, however it ends, and the child then stops what it does.
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [PARENT_PIPE]: '3' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well; twice would count as a second Ctrl-C. Anything else is passed on.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`turnsole: cannot start ${node}: ${error.message}`);
    process.exit(3);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + os.signals[signal]));
}
