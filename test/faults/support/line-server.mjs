/** A server of one line for one line on PORT, as Cassandra or Kafka in tests: `PING` is answered by `PONG <its host name>`. */
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';

const server = createServer((socket) => {
  socket.on('error', () => {});
  createInterface(socket).on('line', (line) => {
    if (line === 'PING') socket.write(`PONG ${hostname()}\n`);
    else socket.destroy();
  });
});
// Like a database, it takes a moment to be there.
setTimeout(() => server.listen(Number(process.env.PORT)), Number(process.env.START_MS ?? 0));
