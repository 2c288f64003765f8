/**
 * An application of the truth suite: a small HTTP service that is resilient, or not, in the way that its environment says. Whatever is not set
 * is off.
 *
 *   PORT            where it listens; 8080
 *   START_MS        how long it prepares before it listens
 *   DRAIN_MS        how long it goes on serving after SIGTERM; 0 ends it at once, with what is under way
 *   WORK_MS         how long an answer takes
 *   BODY_KIB        how much more an answer holds
 *   SAYS            the text of answers that nothing else decides
 *   BROKEN_STATUS   the status of all answers but the health's; with BROKEN_MS for so long after the first request
 *   DATA            a file with its orders, which PUT / adds one to; GET answers `orders: N`
 *   DEPENDENCY      a URL that each answer needs
 *   TIMEOUT_MS      how long it waits for the dependency; 30000
 *   ATTEMPTS        how often it asks the dependency; 1
 *   FALLBACK        yes: what it answers when the dependency does not is a 200; otherwise a 502
 *   BREAKER_MS      the same, as soon as the dependency has failed for so long
 *   NEEDS_HEADER    a header that an answer of the dependency must have as the dependency has it, `name:value`
 *   NEEDS_BODY      text that an answer of the dependency must hold
 *   KEEPS_ADDRESSES yes: it looks the dependency's name up once, when it starts
 *   MAX_CPU, MAX_MEMORY_MIB, MAX_DISK_MIB, MAX_RATE
 *                   it sheds requests (503) while its container uses more: per cent of a processor, memory, files in / or
 *                   what is in use of the file system of DISK_FOLDER, requests a second
 */

import { lookup } from 'node:dns';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const { env } = process;
const number = (name, otherwise = 0) => Number(env[name] ?? otherwise);
const SAMPLE_MS = 200;
const MIB = 2 ** 20;

/** Folder of this container's cgroup that counts something. */
function cgroupOf(controller) {
  for (const line of readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')) {
    const [, controllers = '', path = ''] = line.split(':');
    if (controllers === '' && existsSync(join('/sys/fs/cgroup', path, 'cgroup.controllers')))
      return join('/sys/fs/cgroup', path);
    if (controllers.split(',').includes(controller)) return join('/sys/fs/cgroup', controller, path);
  }
  throw new Error(`no cgroup counts ${controller} here`);
}

function firstNumberOf(folder, names) {
  for (const name of names) {
    const file = join(folder, name);
    if (existsSync(file)) return Number(/\d+/.exec(readFileSync(file, 'utf8'))?.[0]);
  }
  throw new Error(`no ${names.join(', ')} in ${folder}`);
}

/** Processor time of the container so far, in ms. */
function cpuMs() {
  const folder = cgroupOf('cpuacct');
  const v1 = join(folder, 'cpuacct.usage');
  return existsSync(v1) ? Number(readFileSync(v1, 'utf8')) / 1e6 : firstNumberOf(folder, ['cpu.stat']) / 1e3;
}

const memoryMib = () => firstNumberOf(cgroupOf('memory'), ['memory.usage_in_bytes', 'memory.current']) / MIB;

function diskMib() {
  if (env.DISK_FOLDER !== undefined) {
    const { blocks, bfree, bsize } = statfsSync(env.DISK_FOLDER);
    return ((blocks - bfree) * bsize) / MIB;
  }
  let bytes = 0;
  for (const name of readdirSync('/')) {
    try {
      const stat = lstatSync(`/${name}`);
      if (stat.isFile()) bytes += stat.blocks * 512;
    } catch {
      // Removed meanwhile.
    }
  }
  return bytes / MIB;
}

let cpuPercent = 0;
if (env.MAX_CPU !== undefined) {
  let last = { ms: cpuMs(), at: performance.now() };
  setInterval(() => {
    const now = { ms: cpuMs(), at: performance.now() };
    cpuPercent = (100 * (now.ms - last.ms)) / (now.at - last.at);
    last = now;
  }, SAMPLE_MS);
}

const arrivals = [];
function rate() {
  const now = performance.now();
  arrivals.push(now);
  while (arrivals[0] < now - 1000) arrivals.shift();
  return arrivals.length;
}

/** Why a request is shed, if it is. */
function overload() {
  const gauges = [
    ['MAX_CPU', '% of a processor', () => cpuPercent],
    ['MAX_MEMORY_MIB', 'MiB of memory', memoryMib],
    ['MAX_DISK_MIB', 'MiB on the disk', diskMib],
    ['MAX_RATE', 'requests a second', rate],
  ];
  for (const [name, unit, measure] of gauges) {
    if (env[name] === undefined) continue;
    const used = measure();
    if (used > number(name)) return `${used.toFixed(0)} ${unit}, and ${env[name]} are allowed`;
  }
  return undefined;
}

let known;
/** Finds names as usual, or where it keeps addresses, as it found them first. */
function find(name, options, callback) {
  if (env.KEEPS_ADDRESSES !== 'yes') return lookup(name, options, callback);
  if (known !== undefined)
    return options.all ? callback(null, known) : callback(null, known[0].address, known[0].family);
  return lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error);
    known = addresses;
    return find(name, options, callback);
  });
}

function askOnce() {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => request.destroy(new Error(`no answer in ${number('TIMEOUT_MS', 30_000)} ms`)),
      number('TIMEOUT_MS', 30_000),
    );
    const request = http.get(env.DEPENDENCY, { agent: false, lookup: find }, async (response) => {
      try {
        const body = Buffer.concat(await response.toArray()).toString();
        const [header = '', value = ''] = (env.NEEDS_HEADER ?? '').split(':');
        if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
        if (header !== '' && response.headers[header] !== value)
          throw new Error(`${header} is ${response.headers[header]}`);
        if (!body.includes(env.NEEDS_BODY ?? '')) throw new Error(`answer ${body.slice(0, 40)}`);
        resolve(body);
      } catch (error) {
        reject(error);
      } finally {
        clearTimeout(limit);
      }
    });
    request.on('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
  });
}

let failingSince;
/** What the dependency says: status and text. */
async function askDependency() {
  let why;
  for (let attempt = 0; attempt < number('ATTEMPTS', 1); attempt += 1) {
    try {
      const text = await askOnce();
      failingSince = undefined;
      return [200, text];
    } catch (error) {
      why = error.code ?? error.message;
    }
  }
  failingSince ??= performance.now();
  const isOpen = performance.now() - failingSince > number('BREAKER_MS', Number.POSITIVE_INFINITY);
  return env.FALLBACK === 'yes' || isOpen
    ? [200, `without the dependency: ${why}`]
    : [502, `the dependency: ${why}`];
}

const orders = () => (existsSync(env.DATA) ? Number(readFileSync(env.DATA, 'utf8')) : 0);

function order() {
  mkdirSync(dirname(env.DATA), { recursive: true });
  const count = orders() + 1;
  writeFileSync(`${env.DATA}.new`, String(count));
  renameSync(`${env.DATA}.new`, env.DATA);
  return count;
}

let firstAskedAt;
/** Status and text of an answer. */
async function answer(request) {
  const shed = overload();
  if (shed !== undefined) return [503, `overloaded: ${shed}`];
  firstAskedAt ??= performance.now();
  const isBroken = performance.now() - firstAskedAt <= number('BROKEN_MS', Number.POSITIVE_INFINITY);
  if (env.BROKEN_STATUS !== undefined && isBroken) return [number('BROKEN_STATUS'), 'broken'];
  if (env.WORK_MS !== undefined) await delay(number('WORK_MS'));
  if (env.DATA !== undefined) return [200, `orders: ${request.method === 'PUT' ? order() : orders()}`];
  return env.DEPENDENCY === undefined ? [200, env.SAYS ?? `served by ${env.NAME ?? 'web'}`] : askDependency();
}

const filling = 'x'.repeat(1024 * number('BODY_KIB'));
const server = http.createServer(async (request, response) => {
  const [status, text] = request.url === '/healthz' ? [200, 'alive'] : await answer(request);
  response.writeHead(status, { 'x-version': '1', 'content-type': 'text/plain' }).end(`${text}\n${filling}`);
});
process.once('SIGTERM', () => {
  const end = () => process.exit(0);
  if (number('DRAIN_MS') === 0) end();
  else setTimeout(() => server.close(end), number('DRAIN_MS'));
});
await delay(number('START_MS'));
// Where the dependency is, is known before anybody asks.
if (env.KEEPS_ADDRESSES === 'yes')
  await new Promise((resolve) => find(new URL(env.DEPENDENCY).hostname, { all: true }, resolve));
server.listen(number('PORT', 8080));
