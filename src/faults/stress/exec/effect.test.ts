import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandUsage, commandEffect } from './effect.ts';

test('commands are compared with what was asked for', () => {
  const advice = 'look at what is run, and at the limits of the container';
  const usage: CommandUsage = { alive: '0 0 0', endedSeconds: 0, lastEnd: undefined, killed: 0 };
  const cpu = { cpuSeconds: 10, mebibytes: undefined };
  const memory = { cpuSeconds: 0, mebibytes: 500 };
  const any = { cpuSeconds: 0, mebibytes: undefined };
  const rows: [string, Partial<CommandUsage>, Parameters<typeof commandEffect>[1], string][] = [
    [
      'at work',
      { alive: '2 341 900\n' },
      cpu,
      'true the commands have used 3.41 of 10.00 s of CPU time asked for (2 processes are alive)',
    ],
    [
      'ended by itself',
      { endedSeconds: 1.5, lastEnd: 'exit code 0' },
      cpu,
      'true the commands have used 1.50 of 10.00 s of CPU time asked for (0 processes are alive)',
    ],
    [
      'asleep',
      { alive: '1 0 900' },
      cpu,
      `false the commands have used 0.00 of 10.00 s of CPU time asked for (1 process is alive); ${advice}`,
    ],
    [
      'next to nothing',
      { alive: '1 9 900' },
      cpu,
      `false the commands have used 0.09 of 10.00 s of CPU time asked for (1 process is alive); ${advice}`,
    ],
    [
      'ends whenever it is started',
      { lastEnd: 'exit code 1: no' },
      cpu,
      `false the commands have used 0.00 of 10.00 s of CPU time asked for (0 processes are alive, the last ended with exit code 1: no); ${advice}`,
    ],
    [
      'nothing asked for, some used',
      { alive: '1 9 900' },
      any,
      'true the commands have used 0.09 s of CPU time (1 process is alive)',
    ],
    [
      'nothing asked for, none used',
      { alive: '1 0 900' },
      any,
      `false the commands have used 0.00 s of CPU time (1 process is alive); ${advice}`,
    ],
    [
      'memory',
      { alive: '1 7 512000' },
      memory,
      'true the commands have held 500 of 500 MiB asked for (1 process is alive)',
    ],
    [
      'no memory',
      { alive: '1 7 900' },
      memory,
      `false the commands have held 0.9 of 500 MiB asked for (1 process is alive); ${advice}`,
    ],
    [
      'out of memory',
      { killed: 3 },
      memory,
      'true the commands have been killed by the kernel 3 times; held 0 of 500 MiB asked for (0 processes are alive)',
    ],
  ];
  for (const [name, found, asked, expected] of rows) {
    const effect = commandEffect({ ...usage, ...found }, asked);
    assert.equal(`${effect?.seen} ${effect?.message}`, expected, name);
  }
  assert.equal(commandEffect({ ...usage, alive: 'sh: read: I/O error' }, cpu), undefined);
});
