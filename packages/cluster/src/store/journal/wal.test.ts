import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { inspectWal } from './wal.ts';

const PAGE = 4096;
const HEADER = 32;
const FRAME = 24 + PAGE;

/** A log of SQLite with several transactions; gives also at which frame each of them ends. */
function makeLog(): { readonly log: Buffer; readonly commits: readonly number[] } {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-wal-'));
  try {
    const database = new DatabaseSync(join(directory, 'a.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x TEXT)');
    for (let index = 0; index < 5; index += 1) {
      database.exec(`INSERT INTO t VALUES ('${'x'.repeat(9000)}')`);
    }
    const log = readFileSync(join(directory, 'a.db-wal'));
    database.close();
    const count = (log.length - HEADER) / FRAME;
    const commits = Array.from({ length: count }, (_, index) => index).filter(
      (index) => log.readUInt32BE(HEADER + index * FRAME + 4) !== 0,
    );
    return { log, commits };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const { log, commits } = makeLog();
const count = (log.length - HEADER) / FRAME;
const lastButOne = commits.at(-2) ?? 0;

function changed(at: number): Buffer {
  const copy = Buffer.from(log);
  copy[at] = (copy[at] ?? 0) ^ 0x40;
  return copy;
}

describe('inspectWal', () => {
  const sound: readonly [name: string, log: Buffer, frames: number][] = [
    ['a complete log', log, count],
    ['no log', Buffer.alloc(0), 0],
    ['a header only', log.subarray(0, HEADER), 0],
    ['half of the last frame', log.subarray(0, log.length - 100), count - 1],
    ['a bad page in the last transaction', changed(HEADER + (lastButOne + 1) * FRAME + 500), lastButOne + 1],
    ['bytes of nothing after the end', Buffer.concat([log, Buffer.alloc(3 * FRAME, 7)]), count],
    ['old frames after the end', Buffer.concat([log, log.subarray(HEADER, HEADER + FRAME)]), count],
  ];
  for (const [name, bytes, frames] of sound) {
    it(`takes ${name}`, () => assert.deepEqual(inspectWal(bytes), { state: 'sound', frames }));
  }

  const bad: readonly [name: string, log: Buffer, frame: number][] = [
    ['a header', changed(9), 0],
    ['the first page', changed(HEADER + 500), 1],
    ['a page of the last transaction but one', changed(HEADER + lastButOne * FRAME + 500), lastButOne + 1],
    ['the sum of a frame', changed(HEADER + FRAME + 17), 2],
  ];
  for (const [name, bytes, frame] of bad) {
    it(`finds damage in ${name}`, () => {
      const found = inspectWal(bytes);
      assert.equal(found.state === 'damaged' ? found.frame : -1, frame);
    });
  }
});
