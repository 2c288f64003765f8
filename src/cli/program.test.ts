import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from './program.ts';

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

test('every default that --help shows is a value that the option takes, as it is shown', () => {
  let checked = 0;
  for (const command of allCommands(buildProgram(() => {}))) {
    for (const option of command.options) {
      const { defaultValue, defaultValueDescription, parseArg, argChoices } = option;
      if (defaultValue === undefined || typeof defaultValue === 'boolean') continue;
      const shown = defaultValueDescription ?? String(defaultValue);
      const where = `${command.name()} ${option.flags}: (default: ${shown})`;
      if (argChoices !== undefined) assert.ok(argChoices.includes(shown), where);
      else if (parseArg !== undefined) assert.deepEqual(parseArg(shown, undefined), defaultValue, where);
      if (option.flags.includes('<duration>')) assert.match(shown, /^\d+(ms|s|m|h)$/, where);
      checked += 1;
    }
  }
  assert.ok(checked >= 15, `${checked} options`);
});
