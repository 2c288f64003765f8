/** Programs that run at the ends of a wire to show what happens to packets; see {@link NetworkEnd.start}. */

/** Sends `count` numbered datagrams to each address, then says `sent`; a line of input makes it do it again. */
export const SENDER = `
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
const [count, port, ...addresses] = process.argv.slice(1);
const sockets = { udp4: createSocket('udp4'), udp6: createSocket('udp6') };
await Promise.all(Object.values(sockets).map((socket) => new Promise((resolve) => socket.bind(resolve))));
for (const socket of Object.values(sockets)) socket.on('error', () => {});
console.log('ready');
for await (const _ of createInterface({ input: process.stdin })) {
  for (let number = 0; number < Number(count); number += 1) {
    await Promise.all(addresses.map((address) => new Promise((resolve) => {
      sockets[address.includes(':') ? 'udp6' : 'udp4'].send(String(number).padEnd(64, '.'), Number(port), address, resolve);
    })));
  }
  console.log('sent');
}
`;

/** Answers every byte of a connection with itself. */
export const ECHO = `
import { createServer } from 'node:net';
const server = createServer((socket) => { socket.setNoDelay(true); socket.on('error', () => {}); socket.pipe(socket); });
server.listen({ host: '::', port: Number(process.argv[1]) }, () => console.log('ready'));
`;

/** For each line \`address port rounds\`: round trips on one connection, as a JSON list of milliseconds. */
export const ROUND_TRIPS = `
import { connect } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [host, port, rounds] = line.split(' ');
  const socket = connect({ host, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const times = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    const start = performance.now();
    socket.write('x');
    await once(socket, 'data');
    times.push(performance.now() - start);
  }
  socket.destroy();
  console.log(JSON.stringify(times));
}
`;

/** Connects to an address and a port at once; for each line "bytes rounds": round trips on that connection, as a JSON list of milliseconds. */
export const KEPT_TRIPS = `
import { connect } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
const [host, port] = process.argv.slice(1);
const socket = connect({ host, port: Number(port), noDelay: true });
socket.on('error', (error) => { console.log(JSON.stringify(error.code)); process.exit(); });
socket.on('end', () => console.log('"ended"'));
await once(socket, 'connect');
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [bytes, rounds] = line.split(' ').map(Number);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    // What follows an answer at once belongs to it.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const start = performance.now();
    socket.write(Buffer.alloc(bytes, 'x'));
    for (let got = 0; got < bytes; ) got += (await once(socket, 'data'))[0].length;
    times.push(performance.now() - start);
  }
  console.log(JSON.stringify(times));
}
`;

/** Sends as much as it can to whoever connects. */
export const SOURCE = `
import { createServer } from 'node:net';
const chunk = Buffer.alloc(65536);
const server = createServer((socket) => {
  socket.on('error', () => {});
  const more = () => { while (socket.writable && socket.write(chunk)); };
  socket.on('drain', more);
  more();
});
server.listen({ host: '::', port: Number(process.argv[1]) }, () => console.log('ready'));
`;

/** Reads from address and port for ever. */
export const SINK = `
import { connect } from 'node:net';
const socket = connect({ host: process.argv[1], port: Number(process.argv[2]) }, () => console.log('ready'));
socket.resume();
`;
