/**
 * Image `turnsole/sample-web`: a small HTTP service that behaves well under rolling restarts.
 *
 * `GET /` names the pod that answered, `GET /healthz` is its readiness. On SIGTERM it keeps answering for DRAIN_MS,
 * because endpoints are taken out of service only after the signal, then finishes what is under way and ends.
 */
import { createServer } from 'node:http';
import { hostname } from 'node:os';

const port = Number(process.env.PORT ?? 8080);
const drainMs = Number(process.env.DRAIN_MS ?? 1000);
const pod = process.env.HOSTNAME ?? hostname();
let answered = 0;

const server = createServer((request, response) => {
  const path = (request.url ?? '/').split('?')[0];
  if (path !== '/' && path !== '/healthz') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  answered += 1;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ pod, pid: process.pid, answered })}\n`);
});

server.listen(port, () => console.log(`${pod}: listening on port ${port}`));

process.once('SIGTERM', () => {
  console.log(`${pod}: draining for ${drainMs} ms`);
  setTimeout(() => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  }, drainMs);
});
