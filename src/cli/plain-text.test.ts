import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { plainTextOption } from './common-options.ts';
import { buildProgram } from './program.ts';

test('--no-color counts as NO_COLOR does', (t) => {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  t.after(() => {
    for (const [name, value] of Object.entries({ NO_COLOR, FORCE_COLOR })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  delete process.env['NO_COLOR'];
  process.env['FORCE_COLOR'] = '1';
  plainTextOption(new Command('x'))
    .action(() => {})
    .parse([], { from: 'user' });
  assert.equal(process.env['NO_COLOR'], undefined);
  plainTextOption(new Command('x'))
    .action(() => {})
    .parse(['--no-color'], { from: 'user' });
  assert.deepEqual([process.env['NO_COLOR'], process.env['FORCE_COLOR']], ['1', undefined]);
});

test('run and the workflow commands have it', () => {
  const program = buildProgram(() => {});
  const workflow = program.commands.find((command) => command.name() === 'workflow');
  const commands = [
    program.commands.find((command) => command.name() === 'run'),
    ...['get', 'list', 'watch', 'logs', 'lint', 'submit'].map((name) =>
      workflow?.commands.find((command) => command.name() === name),
    ),
  ];
  for (const command of commands)
    assert.ok(
      command?.options.some(({ long }) => long === '--no-color'),
      command?.name(),
    );
});
