import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseStressor, ioBytes, type Load, startsOutside, stressNgArguments } from './load.ts';

const full: Load = { cpu: { workers: 2, percent: 100 } };
const share: Load = { cpu: { workers: 2, percent: 40 } };
const memory: Load = { memory: { workers: 1, mebibytes: 500 } };
const files: Load = { io: { workers: 4, size: { percent: 10 }, directory: '' } };

test('which program makes a load', () => {
  const cases: [string, Load, boolean, string][] = [
    ['whole CPUs', full, true, 'stress-ng'],
    ['memory', memory, true, 'stress-ng'],
    ['memory, nothing installed', memory, false, 'built-in'],
    ['whole CPUs, nothing installed', full, false, 'built-in'],
    ['a share of a CPU', share, true, 'built-in'],
    ['files', files, true, 'built-in'],
    ['files and whole CPUs', { ...files, ...full }, true, 'built-in'],
  ];
  for (const [name, load, has, expected] of cases)
    assert.equal(chooseStressor(load, has, true), expected, name);
  assert.equal(chooseStressor(share, true, false), 'stress-ng', 'a share, with many others');
  assert.equal(chooseStressor(files, true, false), 'built-in', 'files, with many others');
});

test('the words of stress-ng', () => {
  assert.deepEqual(
    stressNgArguments({ cpu: { workers: 0, percent: 100 } }, 75).join(' '),
    ['--cpu 0 --cpu-load 100 --timeout 75s --temp-path /tmp'].join(' '),
  );
  assert.deepEqual(
    stressNgArguments({ memory: { workers: 4, mebibytes: 500 } }, 75).join(' '),
    '--vm 4 --vm-bytes 500M --vm-keep --vm-hang 0 --timeout 75s --temp-path /tmp',
  );
});

test('sizes of files', () => {
  assert.equal(ioBytes({ percent: 10 }, 1005), 100);
  assert.equal(ioBytes({ gibibytes: 2 }, 1), 2 * 1024 ** 3);
});

test('what finds room in a helper while it starts', () => {
  assert.equal(startsOutside(share, 1, 4), true);
  assert.equal(startsOutside(share, 2, 4), false);
  assert.equal(startsOutside({ cpu: { workers: 0, percent: 50 } }, 0, 64), false);
  assert.equal(startsOutside(memory, 0, 64), true);
});
