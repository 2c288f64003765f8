import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArchiveEntry, placeEntries } from './place-entries.ts';

const LIMITS = { files: 3, bytes: 100, fileBytes: 50 };
const FAULT = 'faults/k/f/fault.yaml';

function entries(...names: readonly (string | [string, Partial<ArchiveEntry>])[]): ArchiveEntry[] {
  return names.map((one) => {
    const [name, more] = typeof one === 'string' ? [one, {}] : one;
    return { name, size: 10, fileType: 0o100000, ...more };
  });
}

const KEPT: readonly [what: string, entries: ArchiveEntry[], paths: string[]][] = [
  [
    'manifests and pictures',
    entries(FAULT, 'faults/k/icons/f.svg', 'experiments/e/experiment.yml'),
    [FAULT, 'faults/k/icons/f.svg', 'experiments/e/experiment.yml'],
  ],
  [
    'what stands in the one folder of an archive',
    entries('hub-main/', `hub-main/${FAULT}`, 'hub-main/README.md'),
    [FAULT],
  ],
  ['an archive that says no type of file', entries([FAULT, { fileType: 0 }]), [FAULT]],
  [
    'no folders, scripts, or files elsewhere',
    entries(FAULT, 'faults/', 'faults/k/run.sh', 'other/a.yaml', 'a.yaml'),
    [FAULT],
  ],
  ['no links', entries(FAULT, ['faults/k/g/fault.yaml', { fileType: 0o120000 }]), [FAULT]],
  [
    'no hidden files, and nothing deep',
    entries(FAULT, 'faults/.git/a.yaml', 'faults/a/b/c/d/e/f.yaml'),
    [FAULT],
  ],
];

for (const [what, list, paths] of KEPT) {
  test(`kept: ${what}`, () => {
    assert.deepEqual(
      placeEntries(list, LIMITS).map(({ path }) => path.join('/')),
      paths,
    );
  });
}

for (const name of [
  '../x.yaml',
  'faults/../../x.yaml',
  '/etc/x.yaml',
  'C:/x.yaml',
  'faults\\..\\x.yaml',
  'a\0.yaml',
  '',
  'x/..',
]) {
  test(`an archive is refused for ${JSON.stringify(name)}`, () => {
    assert.throws(() => placeEntries(entries(FAULT, name), LIMITS), {
      name: 'RemoteError',
      message: /^illegal file path: /,
    });
  });
}

const REFUSED: readonly [what: string, entries: ArchiveEntry[], said: RegExp][] = [
  ['no hub', entries('a.yaml', 'b/c.yaml'), /this is no hub/],
  [
    'a file too large',
    entries([FAULT, { size: 51 }]),
    /faults\/k\/f\/fault\.yaml is larger than the 50 bytes/,
  ],
  [
    'too much',
    entries([FAULT, { size: 50 }], ['faults/a.yaml', { size: 50 }], ['faults/b.yaml', { size: 1 }]),
    /3 files with 101 bytes; at most 3 with 100/,
  ],
  ['too many', entries(FAULT, 'faults/a.yaml', 'faults/b.yaml', 'faults/c.yaml'), /4 files with 40 bytes/],
];

for (const [what, list, said] of REFUSED) {
  test(`refused: ${what}`, () => assert.throws(() => placeEntries(list, LIMITS), said));
}
