// Counts its requests in Redis, by a connection for each, and answers 503 where Redis does not.
const { createServer } = require('node:http');
const { connect } = require('node:net');

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

const server = createServer((_request, response) => {
  count().then(
    (answer) => response.end(answer),
    (error) => {
      response.statusCode = 503;
      response.end(`redis: ${error.message}\n`);
    },
  );
});
server.listen(8080);
process.on('SIGTERM', () => setTimeout(() => server.close(() => process.exit(0)), 500));
