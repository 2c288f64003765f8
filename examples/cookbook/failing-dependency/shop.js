// Shows a price. When the prices answer with an error, so does it: no second try, nothing to fall back on.
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end('ok\n');
  try {
    const answer = await fetch('http://prices.default.svc.cluster.local:8080/');
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    response.end(await answer.text());
  } catch (error) {
    response.statusCode = 502;
    response.end(`prices: ${error.cause?.message ?? error.message}\n`);
  }
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
