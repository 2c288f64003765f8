/** Effects on a pod's network, seen by clients outside of it: one more of them every few milliseconds, each on its own connection. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '@turnsole/kube/kinds/core';
import { firstProcessOf } from '../../test/support/first-process.ts';
import { type Onlooker, onlook, type Sightings } from './sightings.ts';

/** Between two clients. */
export const ASK_EVERY_MS = 10;
export const PORT = 8080;
/** A body that takes more than a second at {@link SLOW_RATE}. */
const BODY_BYTES = 64 * 1024;
export const SLOW_RATE = '128kbit';
/** The longest wait for a connection: the kernel makes it without the pod's program. */
const CONNECT_LIMIT_MS = 200;
/** Anything longer is slow; both faults that are measured by it add a second and more. */
const SLOW_MS = 500;

/** A server for {@link answerOnlooker}. */
export const WEB = {
  image: 'node',
  command: [
    'node',
    '-e',
    `const body = Buffer.alloc(${BODY_BYTES}); require('http').createServer((_, response) => response.end(body)).listen(${PORT})`,
  ],
  readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
};

/** Starts a client every few milliseconds, until the signal ends it. */
async function keepAsking(ask: (signal: AbortSignal) => void, signal: AbortSignal): Promise<void> {
  for (;;) {
    ask(signal);
    await delay(ASK_EVERY_MS, undefined, { signal });
  }
}

/** Connections are not made: since the first that was tried in vain. They are made again: by when the first one stood. */
export function connectOnlooker(pod: Pod): Onlooker {
  const host = pod.status?.podIP ?? '';
  return onlook((sightings, signal) =>
    keepAsking(() => {
      const begunAt = Date.now();
      const socket = connect({ host, port: PORT });
      // After whatever has come in meanwhile: this process may have been late itself.
      const limit = setTimeout(() => setImmediate(() => end(true, begunAt)), CONNECT_LIMIT_MS);
      const end = (isLost: boolean, atMs?: number): void => {
        if (socket.destroyed) return;
        clearTimeout(limit);
        socket.destroy();
        sightings.note(isLost, atMs);
      };
      socket.once('connect', () => end(false));
      socket.on('error', () => socket.destroy());
    }, signal),
  );
}

/** Whole answers take too long: since the first that was asked for. They come at once: by when the first one was there. */
export function slownessOnlooker(pod: Pod): Onlooker {
  return onlook((sightings, signal) =>
    keepAsking((ended) => {
      const begunAt = Date.now();
      const limit = setTimeout(() => setImmediate(() => end(true, begunAt)), SLOW_MS);
      let isOver = false;
      const end = (isSlow: boolean | undefined, atMs?: number): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(limit);
        request.destroy();
        if (isSlow !== undefined && !ended.aborted) sightings.note(isSlow, atMs);
      };
      const request = get(pod, (response) => response.resume().once('end', () => end(false)));
      request.on('error', () => end(undefined));
    }, signal),
  );
}

/** Connects to a pod again and again, and says what came of each try and when it was begun. */
const CONNECTIONS = `
  const { connect } = require('node:net');
  const [host, port, every, limit] = process.argv.slice(1);
  setInterval(() => {
    const begunAt = Date.now();
    const socket = connect({ host, port });
    const say = (what) => { if (!socket.destroyed) console.log(what, begunAt); socket.destroy(); };
    socket.on('error', () => socket.destroy()).on('connect', () => say('made'));
    setTimeout(() => setImmediate(say, 'lost'), Number(limit));
  }, Number(every));`;

/** Connections of another pod are not made: since the first that was tried in vain. They are made again: by when the first one stood. */
export async function peerOnlooker(from: Pod, to: Pod): Promise<Onlooker> {
  const settings = [to.status?.podIP ?? '', ...[PORT, ASK_EVERY_MS, CONNECT_LIMIT_MS].map(String)];
  return insideOnlooker(await firstProcessOf(from), [CONNECTIONS, ...settings], (sightings, line) => {
    const [what, begunAt] = line.split(' ');
    if (what === 'lost') sightings.note(true, Number(begunAt));
    else sightings.note(false);
  });
}

/** Answers have another status than 200. */
export function statusOnlooker(pod: Pod): Onlooker {
  return onlook((sightings, signal) =>
    keepAsking(() => {
      const request = get(pod, (response) => {
        sightings.note(response.statusCode !== 200);
        request.destroy();
      });
      // A connection that is cut when the fault comes or goes proves nothing.
      request.on('error', () => {});
    }, signal),
  );
}

function get(pod: Pod, answered: (response: http.IncomingMessage) => void): http.ClientRequest {
  return http.get({ host: pod.status?.podIP, port: PORT, agent: false }, answered);
}

/** Asks a DNS server for a name again and again, and says what came of each question. */
const QUESTIONS = `
  const { Resolver } = require('node:dns').promises;
  const [server, name, every] = process.argv.slice(1);
  setInterval(async () => {
    const resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver.setServers([server]);
    console.log(await resolver.resolve4(name).then(() => 'fine', (error) => error.code));
  }, Number(every));`;

/** The answer to questions from the pod's network becomes: the name does not exist. */
export async function questionOnlooker(pod: Pod, name: string): Promise<Onlooker> {
  const pid = await firstProcessOf(pod);
  const server = /^nameserver (\S+)/m.exec(readFileSync(`/proc/${pid}/root/etc/resolv.conf`, 'utf8'))?.[1];
  if (server === undefined) throw new Error(`pod ${pod.metadata.name} has no DNS server`);
  return insideOnlooker(pid, [QUESTIONS, server, name, String(ASK_EVERY_MS)], noteAnswer);
}

/** What a program says line by line that runs in the network of a process. */
function insideOnlooker(
  pid: number,
  program: readonly string[],
  onLine: (sightings: Sightings, line: string) => void,
): Onlooker {
  const words = [process.execPath, '-e', ...program];
  const child = spawn('nsenter', ['-t', String(pid), '-n', '--', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return onlook(async (sightings, signal) => {
    signal.addEventListener('abort', () => child.kill('SIGKILL'));
    for await (const line of createInterface({ input: child.stdout })) onLine(sightings, line);
  });
}

function noteAnswer(sightings: Sightings, line: string): void {
  if (line === 'fine' || line === 'ENOTFOUND') sightings.note(line === 'ENOTFOUND');
}
