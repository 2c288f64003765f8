import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ContainerLog } from './container-log.ts';
import { decodeLine, formatLogTime, LineEncoder, MAX_LINE_BYTES } from './format.ts';
import { type LogSelection, selectLog } from './select.ts';

const clock = { now: () => Date.UTC(2024, 0, 2, 3, 4, 5, 6) };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnsole-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (text: string): Buffer => Buffer.from(text);

async function read(log: ContainerLog, selection: LogSelection = {}, follow = false): Promise<string> {
  const position = log.start();
  const nothing = (async function* () {})();
  const chunks = [];
  const later = follow ? log.following(position) : nothing;
  for await (const chunk of selectLog(log.present(position), later, selection)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('both streams come back in the order they were written, with times on request', async () => {
  const log = new ContainerLog(join(folder, '0.log'), clock);
  log.write('stdout', bytes('one\ntw'));
  log.write('stderr', bytes('warn\n'));
  log.write('stdout', bytes('o\nrest'));
  assert.equal(await read(log), 'one\nwarn\ntwo\n');
  log.end();
  assert.equal(await read(log), 'one\nwarn\ntwo\nrest');
  assert.equal(
    (await read(log, { timestamps: true, tailLines: 2 })).split('\n')[0],
    '2024-01-02T03:04:05.006000002Z two',
  );
});

test('tailLines, sinceMs and limitBytes select', async () => {
  let now = 1000;
  const log = new ContainerLog(join(folder, '0.log'), { now: () => now });
  for (const text of ['a', 'b', 'c']) {
    log.write('stdout', bytes(`${text}\n`));
    now += 1000;
  }
  assert.equal(await read(log, { tailLines: 2 }), 'b\nc\n');
  assert.equal(await read(log, { tailLines: 0 }), '');
  assert.equal(await read(log, { sinceMs: 3000 }), 'c\n');
  assert.equal(await read(log, { limitBytes: 3 }), 'a\nb');
  assert.equal(await read(log, { tailLines: 99 }), 'a\nb\nc\n');
});

test('the end of the log is read without what is before it, whole lines only, also from rotated files', () => {
  const LINE_BYTES = '2024-01-02T03:04:05.006000000Z stdout F line 00\n'.length;
  const log = new ContainerLog(join(folder, '0.log'), clock, { maxFileBytes: 4 * LINE_BYTES, maxFiles: 3 });
  for (let n = 10; n < 20; n += 1) log.write('stdout', bytes(`line ${n}\n`));
  const last = (maxBytes: number): string[] =>
    [...log.present(log.nearEnd(maxBytes))].map(({ text }) => Buffer.from(text).toString().trim());
  const lines = (from: number): string[] => Array.from({ length: 20 - from }, (_, n) => `line ${from + n}`);
  for (const [maxBytes, from] of [
    [0, 20],
    [LINE_BYTES - 1, 20],
    [LINE_BYTES, 19],
    [2 * LINE_BYTES - 1, 19],
    [2 * LINE_BYTES, 18],
    [3 * LINE_BYTES, 17],
    [6 * LINE_BYTES, 14],
    [7 * LINE_BYTES, 13],
    [1000 * LINE_BYTES, 10],
  ] as const) {
    assert.deepEqual(last(maxBytes), lines(from), `${maxBytes} bytes`);
  }
  log.end();
});

test('following gives what comes later and ends with the container', async () => {
  const log = new ContainerLog(join(folder, '0.log'), clock);
  log.write('stdout', bytes('before\n'));
  const reading = read(log, {}, true);
  setImmediate(() => {
    log.write('stdout', bytes('after\n'));
    setImmediate(() => {
      log.write('stdout', bytes('last'));
      log.end();
    });
  });
  assert.equal(await reading, 'before\nafter\nlast');
});

test('following ends when its signal aborts', async () => {
  const log = new ContainerLog(join(folder, '0.log'), clock);
  const abort = new AbortController();
  const lines = log.following(log.start(), abort.signal);
  const next = lines.next();
  abort.abort();
  assert.deepEqual(await next, { value: undefined, done: true });
  log.end();
});

test('rotation bounds the files, and a reader goes on in the next one', async () => {
  const log = new ContainerLog(join(folder, '0.log'), clock, { maxFileBytes: 200, maxFiles: 2 });
  const position = log.start();
  log.write('stdout', bytes('first\n'));
  const seen = [...log.present(position)].length;
  for (let line = 0; line < 50; line++) log.write('stdout', bytes(`line ${line}\n`));
  assert.equal(seen, 1);
  assert.equal(readdirSync(folder).length, 2);
  const rest = [...log.present(position)].map((line) => Buffer.from(line.text).toString());
  assert.equal(rest.at(-1), 'line 49\n');
  assert.ok(rest.length < 50 && rest.length >= 3, `${rest.length} lines kept`);
  log.remove();
  assert.deepEqual(readdirSync(folder), []);
});

test('a line without end is stored in parts and read back whole', () => {
  const encoder = new LineEncoder('stderr');
  const time = (): string => formatLogTime(0, 0);
  const long = 'x'.repeat(MAX_LINE_BYTES * 2 + 10);
  const stored = encoder.push(bytes(`${long}\n`), time);
  const lines = stored
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => decodeLine(bytes(line)));
  assert.deepEqual(
    lines.map((line) => line?.stream),
    ['stderr', 'stderr', 'stderr'],
  );
  assert.equal(lines.map((line) => Buffer.from(line?.text ?? []).toString()).join(''), `${long}\n`);
});

test('a text that is no stored line is recognised', () => {
  for (const torn of ['', '2024', '2024 stdout', 'x nothing F y'])
    assert.equal(decodeLine(bytes(torn)), undefined);
});
