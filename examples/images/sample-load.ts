/**
 * Image `turnsole/sample-load`: continuous request load on a service, and what came of it.
 *
 * Sends RATE requests per second to TARGET_URL, each on a connection of its own as independent users would. Requests count
 * once the first was answered: a service that is still starting has no users to disappoint. It serves
 * `GET /stats` (counts and the share of answered requests) and `GET /slo?objective=99` (200 when at least that many
 * percent were answered, else 503), so that an httpProbe can judge a run by what users saw.
 */
import { createServer, get } from 'node:http';

const target = process.env.TARGET_URL;
if (target === undefined) throw new Error('sample-load: set TARGET_URL to the URL to request');
const rate = Number(process.env.RATE ?? 50);
const port = Number(process.env.PORT ?? 8080);
const timeoutMs = Number(process.env.TIMEOUT_MS ?? 2000);

const counts = { sent: 0, answered: 0, failed: 0 };
const failures = new Map<string, number>();
let hasBegun = false;

function count(failure?: string): void {
  if (failure === undefined) {
    counts.answered += 1;
    return;
  }
  counts.failed += 1;
  failures.set(failure, (failures.get(failure) ?? 0) + 1);
}

function send(url: string): void {
  const isCounted = hasBegun;
  if (isCounted) counts.sent += 1;
  const end = (failure?: string): void => {
    hasBegun ||= failure === undefined;
    if (isCounted) count(failure);
  };
  const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
    response.resume();
    response.once('error', (error) => end(error.message));
    response.once('end', () =>
      end(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
    );
  });
  request.once('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  request.once('error', (error) => end((error as NodeJS.ErrnoException).code ?? error.message));
}

function answeredPercent(): number {
  const finished = counts.answered + counts.failed;
  if (finished > 0) return (counts.answered * 100) / finished;
  // A service that never answered has not met anything.
  return hasBegun ? 100 : 0;
}

setInterval(() => send(target), 1000 / rate);
setInterval(() => console.log(JSON.stringify(stats())), 5000);

function stats(): object {
  return { ...counts, answeredPercent: answeredPercent(), failures: Object.fromEntries(failures) };
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const objective = Number(url.searchParams.get('objective') ?? 100);
  const met = url.pathname !== '/slo' || answeredPercent() >= objective;
  response.writeHead(met ? 200 : 503, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(stats())}\n`);
});
server.listen(port);

process.once('SIGTERM', () => {
  console.log(JSON.stringify(stats()));
  process.exit(0);
});
