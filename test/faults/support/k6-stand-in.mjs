/**
 * Stands in for k6: `run FILE --duration Ns …` asks the first URL in the script, one request after another, a hundred a second
 * at most, until the time is over. Exits with 99 when a request failed and the script has thresholds, and with 107 when it has no URL, as k6 does.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** Its load is not what the tests are about, and they share their processors with it. */
const PAUSE_MS = 10;

const { values, positionals } = parseArgs({
  options: {
    duration: { type: 'string' },
    tag: { type: 'string' },
    out: { type: 'string' },
    quiet: { type: 'boolean', short: 'q' },
  },
  allowPositionals: true,
});
const [command, file] = positionals;
if (command !== 'run' || file === undefined) throw new Error(`cannot ${command}`);
const script = readFileSync(file, 'utf8');
const url = /https?:\/\/[^'"`]+/.exec(script)?.[0];
if (url === undefined) {
  console.error('Uncaught script exception');
  process.exit(107);
}
const until = Date.now() + 1000 * Number(/^(\d+)s$/.exec(values.duration)?.[1]);
let done = 0;
let failed = 0;
while (Date.now() < until) {
  const isWell = await fetch(url, { headers: { 'x-tag': values.tag ?? '' } }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
  if (isWell) done += 1;
  else failed += 1;
  await delay(PAUSE_MS);
}
console.log(`http_reqs: ${done + failed}, http_req_failed: ${failed}`);
process.exit(failed > 0 && script.includes('thresholds') ? 99 : 0);
