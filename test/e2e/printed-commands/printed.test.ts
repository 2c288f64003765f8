import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedCommands } from './printed.ts';

const ROWS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['one command in a line', ['```sh', 'npx a', 'npx b --c', '```'], ['npx a', 'npx b --c']],
  [
    'comments',
    ['```sh', '# first', 'npx a   # what it does', 'npx b "# c"  # d', '```'],
    ['npx a', 'npx b "# c"'],
  ],
  ['a mark within a word is no comment', ['```sh', 'npx a#b', '```'], ['npx a#b']],
  [
    'several commands in a line are run as one',
    ['```sh', 'npx a && npx b; npx c', '```'],
    ['npx a && npx b; npx c'],
  ],
  [
    'lines that go on',
    ['```sh', 'npx a \\', "  --set 'b={c}' \\", '  --d', 'npx e', '```'],
    ["npx a --set 'b={c}' --d", 'npx e'],
  ],
  [
    'prompts, and what is answered',
    ['```console', '$ npx a', 'NAME  AGE', '$ npx b \\', '> --c', 'done', '```'],
    ['npx a', 'npx b --c'],
  ],
  ['a list', ['- x', '  ```sh', '  npx a', '  ```'], ['npx a']],
  ['other languages', ['```yaml', 'a: b', '```', '```text', '$ npx a', '```'], []],
  ['longer fences', ['````sh', 'cat <<```', '````'], ['cat <<```']],
  ['outside of fences', ['    npx a', '`npx b`'], []],
];

for (const [name, lines, expected] of ROWS)
  test(name, () => {
    assert.deepEqual(
      printedCommands(lines.join('\n')).commands.map((command) => command.name),
      expected,
    );
  });

test('a command has its lines as they are printed, and the number of the first', () => {
  const [command] = printedCommands('x\n\n```sh\n\nnpx a \\\n  --b   # c\n```\n').commands;
  assert.deepEqual(command, { text: 'npx a \\\n--b   # c', name: 'npx a --b', line: 5 });
});

test('fences that do not say what they hold', () => {
  assert.deepEqual(printedCommands('```\na\n```\n\n```text\nb\n```\n```\nc\n```\n').untagged, [1, 8]);
});
