/**
 * The process of an interceptor: a helper starts it inside the network namespace of a pod, with its configuration as the first
 * line of its standard input. It listens, redirects, reports that it is ready, answers its counts on request, and renews the redirection
 * until its input ends or another process has removed the rules. It ends on its own and need not be found.
 */
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { endProcess } from '../../process/end-process.ts';
import { COUNT_LINE } from './config.ts';
import { runInterceptor } from './run-interceptor.ts';

const input = createInterface({ input: process.stdin });
const ended = new AbortController();
const asked = new EventEmitter();
let isConfigured = false;
input.on('line', (line) => {
  if (isConfigured) {
    if (line === COUNT_LINE) asked.emit('count');
    return;
  }
  isConfigured = true;
  void runInterceptor(line, asked, ended.signal).then(endProcess);
});
input.once('close', () => {
  ended.abort();
  if (!isConfigured) endProcess(0);
});
process.on('SIGTERM', () => ended.abort());
process.stdout.on('error', () => ended.abort());
