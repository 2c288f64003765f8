import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnsole } from '../support/turnsole.ts';

const COMMANDS = [
  'run',
  'plan',
  'timeline',
  'up',
  'down',
  'operator',
  'runner',
  'experiment',
  'helper',
  'exporter',
];

describe('command line', { concurrency: 2 }, () => {
  it('prints the version', async () => {
    const { code, stdout } = await turnsole(['--version']);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+$/);
  });

  for (const command of COMMANDS) {
    it(`explains ${command}`, async () => {
      const { code, stdout } = await turnsole([command, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: turnsole ${command}`));
    });
  }

  const WRONG: readonly { args: readonly string[]; message: RegExp }[] = [
    { args: ['rum'], message: /unknown command 'rum'[\s\S]*Did you mean run/ },
    { args: ['run'], message: /nothing to run: name manifests/ },
    { args: ['run', 'x.yaml', '--timeout', 'soon'], message: /--timeout[\s\S]*soon/ },
    { args: ['run', 'does-not-exist.yaml'], message: /does-not-exist\.yaml: no such file/ },
    { args: ['up', '--nodes', '0'], message: /whole number from 1/ },
    { args: ['up', '--name', 'No Name'], message: /lower-case letters/ },
    { args: ['up', '--image', 'nothing'], message: /expected name=command/ },
  ];
  for (const { args, message } of WRONG) {
    it(`refuses "${args.join(' ')}" with exit code 2`, async () => {
      const { code, stderr } = await turnsole(args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    });
  }
});
