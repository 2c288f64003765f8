import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandUsage, commandEffect } from './effect.ts';

test('commands had an effect where they have used CPU time', () => {
  const none = 'the commands have used no CPU time';
  const advice = 'look at what is run, and at the CPU limit of the container';
  const rows: [string, CommandUsage, ReturnType<typeof commandEffect>][] = [
    [
      'alive and at work',
      { alive: '2 341\n', endedSeconds: 0, lastEnd: undefined },
      { seen: true, message: '3.41 s of CPU time used, 2 processes are alive' },
    ],
    [
      'ended by itself',
      { alive: '0 0', endedSeconds: 1.5, lastEnd: 'exit code 0' },
      { seen: true, message: '1.50 s of CPU time used, 0 processes are alive' },
    ],
    [
      'asleep',
      { alive: '1 0', endedSeconds: 0, lastEnd: undefined },
      { seen: false, message: `${none} (1 process is alive); ${advice}` },
    ],
    [
      'ends whenever it is started',
      { alive: '0 0', endedSeconds: 0, lastEnd: 'exit code 1: no' },
      {
        seen: false,
        message: `${none} (0 processes are alive, the last ended with exit code 1: no); ${advice}`,
      },
    ],
    ['not to be read', { alive: 'sh: read: I/O error', endedSeconds: 0, lastEnd: undefined }, undefined],
  ];
  for (const [name, usage, expected] of rows) assert.deepEqual(commandEffect(usage), expected, name);
});
