// Counts its requests in Redis, by a connection for each. Where Redis does not answer, it has nothing to fall back on: 503.
import { createServer } from 'node:http';
import { connect } from 'node:net';

const { hostname, port } = new URL(process.env.REDIS_URL);

function count() {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 500 });
    socket.on('timeout', () => socket.destroy(new Error('no answer in 500 ms')));
    socket.on('error', reject);
    socket.on('data', (answer) => {
      resolve(answer.toString());
      socket.end();
    });
    socket.write('INCR requests\r\n');
  });
}

const server = createServer(async (request, response) => {
  // Its own health, and not that of Redis: pods that are not ready would answer nobody.
  if (request.url === '/healthz') return response.end('ok\n');
  try {
    response.end(await count());
  } catch (error) {
    response.statusCode = 503;
    response.end(`redis: ${error.message}\n`);
  }
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
