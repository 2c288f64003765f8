// Shows a price. It waits for the prices 300 ms and no longer, and then shows the last one that it knew.
import { createServer } from 'node:http';

const LIMIT_MS = 300;
let last = '{"price":null}\n';

async function price() {
  const signal = AbortSignal.timeout(LIMIT_MS);
  last = await (await fetch('http://prices.default.svc.cluster.local:8080/', { signal })).text();
  return last;
}

const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end('ok\n');
  response.end(await price().catch(() => last));
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
