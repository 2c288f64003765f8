/**
 * How long an image of 100 MB takes to be pulled from a registry on the loopback and unpacked, beside `sha256sum` and `tar` on the same layers,
 * alternately; and the memory that it takes meanwhile. Takes Debian's docker-registry. Prints a table and, with `--json FILE`, writes it.
 * `--rounds N` (default 5), `--megabytes N` of compressed layers (default 100), `--layers N` (default 5).
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { push, TestRegistry } from '@turnsole/cluster/images/testing/registry';
import { layersOfMachine } from './images/machine-image.ts';
import { treeBytes } from './images/tree-memory.ts';
import { formatColumns, median, writeJson } from './report.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '100' },
    layers: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
});

/** Between two looks at the memory. */
const LOOK_MS = 50;

const folder = mkdtempSync(join(tmpdir(), 'turnsole-bench-images-'));
try {
  const { image, blobs } = layersOfMachine(
    join(folder, 'image'),
    Number(options.megabytes),
    Number(options.layers),
  );
  const files = blobs.map((bytes, index) => {
    const file = join(folder, `layer-${index}.tar.gz`);
    writeFileSync(file, bytes);
    return file;
  });
  mkdirSync(join(folder, 'registry'));
  await using registry = await TestRegistry.start({ folder: join(folder, 'registry') });
  await push(registry.url, 'bench/image', '1', image);
  const rounds: { readonly peerMs: number; readonly ownMs: number; readonly peakBytes: number }[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const peerMs = peer(files, join(folder, `peer-${round}`));
    rounds.push({ peerMs, ...(await own(`${registry.host}/bench/image:1`, join(folder, `store-${round}`))) });
    for (const name of ['peer', 'store'])
      rmSync(join(folder, `${name}-${round}`), { recursive: true, force: true });
  }
  const [peerMs, ownMs, peakBytes] = (['peerMs', 'ownMs', 'peakBytes'] as const).map((key) =>
    median(rounds.map((one) => one[key])),
  );
  const bytes = blobs.reduce((sum, blob) => sum + blob.length, 0);
  console.log(
    formatColumns(
      ['', 'median'],
      [
        [
          `sha256sum and tar, ${(bytes / 1e6).toFixed(0)} MB in ${blobs.length} layers, ms`,
          Number(peerMs).toFixed(0),
        ],
        ['pull and unpack, ms', Number(ownMs).toFixed(0)],
        ['ratio', (Number(ownMs) / Number(peerMs)).toFixed(2)],
        ['memory above idle at most, MB', (Number(peakBytes) / 1e6).toFixed(0)],
      ],
    ),
  );
  await writeJson(options.json, { bytes, layers: blobs.length, rounds });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds that the programs take, one layer after the other into one folder. */
function peer(files: readonly string[], to: string): number {
  mkdirSync(to);
  const startedAt = performance.now();
  for (const file of files) {
    execFileSync('sha256sum', [file], { stdio: 'ignore' });
    execFileSync('tar', ['-xzf', file, '-C', to]);
  }
  return performance.now() - startedAt;
}

/** The same of a process that has a store open and is told to pull, and how much more memory its tree then holds, as the kernel shares it out. */
async function own(name: string, directory: string): Promise<{ ownMs: number; peakBytes: number }> {
  const child = fork(new URL('images/puller.ts', import.meta.url), [name, directory]);
  await once(child, 'message');
  const idle = treeBytes(child.pid ?? 0);
  let peak = idle;
  const looking = setInterval(() => {
    peak = Math.max(peak, treeBytes(child.pid ?? 0));
  }, LOOK_MS);
  child.send('pull');
  const [ownMs]: unknown[] = await once(child, 'message');
  clearInterval(looking);
  await once(child, 'exit');
  return { ownMs: Number(ownMs), peakBytes: peak - idle };
}
