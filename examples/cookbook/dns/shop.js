// Shows a price, and looks the name of the prices up for each request, as most programs do that keep no connection open.
import { createServer, get } from 'node:http';

function price() {
  return new Promise((resolve, reject) => {
    const asked = get('http://prices.default.svc.cluster.local:8080/', { agent: false, timeout: 1_000 });
    asked.on('response', (answer) => answer.setEncoding('utf8').on('data', resolve).on('error', reject));
    asked.on('timeout', () => asked.destroy(new Error('no answer in 1 s')));
    asked.on('error', reject);
  });
}

const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end('ok\n');
  try {
    response.end(await price());
  } catch (error) {
    response.statusCode = 502;
    response.end(`prices: ${error.message}\n`);
  }
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
