/**
 * Unpacks layers in a process of its own: thousands of small writes would stop the cluster's event loop, and where a user is root in a namespace
 * only, it is that namespace's files that are written. Orders come line by line on its standard input, and it ends with that, so it never
 * outlives the process that wants the layers.
 */
import { createInterface } from 'node:readline';
import { messageOf } from '@turnsole/kube/text/error-message';
import { LayerProblem } from './layer-problem.ts';
import type { UnpackOrder, UnpackReport } from './protocol.ts';
import { unpackLayer } from './unpack-layer.ts';

/** Between two reports on the way. */
const REPORT_MS = 100;

process.umask(0);
process.stdin.once('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
for await (const line of createInterface({ input: process.stdin })) {
  say(await carryOut(JSON.parse(line) as UnpackOrder));
}

async function carryOut(order: UnpackOrder): Promise<UnpackReport> {
  let next = 0;
  const onRead = (read: number): void => {
    if (performance.now() < next) return;
    next = performance.now() + REPORT_MS;
    say({ read });
  };
  try {
    return { done: await unpackLayer(order, onRead) };
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof LayerProblem) return { failed: { code: error.code, message } };
    return { failed: { errno: String((error as NodeJS.ErrnoException).code ?? 'unknown'), message } };
  }
}

function say(report: UnpackReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
