import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { buildProgram } from '../program.ts';
import { complete, printScript } from './completion.ts';

/** What is printed meanwhile. */
function printed(context: { mock: typeof test.mock }, print: () => void): string {
  const log = context.mock.method(console, 'log', () => {});
  print();
  log.mock.restore();
  return log.mock.calls.flatMap((call) => call.arguments).join('\n');
}

const TABLE: readonly (readonly [what: string, words: readonly string[], found: readonly string[]])[] = [
  ['a command', ['stat'], ['status', ':4']],
  ['a command of a group', ['faults', 'l'], ['list', ':4']],
  ['a fault', ['faults', 'show', 'pod-delet'], ['pod-delete', ':4']],
  ['a further fault', ['faults', 'chart', 'pod-delete', 'node-d'], ['node-drain', ':4']],
  ['an option', ['run', '--requ'], ['--require-checks', ':4']],
  ['the value of an option', ['up', '--isolation', 'f'], ['full', ':4']],
  ['a shell', ['completion', 'z'], ['zsh', ':4']],
  ['a file', ['run', ''], [':0']],
  ['the file of an option', ['run', '--kubeconfig', ''], [':0']],
  ['nothing', ['no-such-command', 'x'], [':4']],
];

for (const [what, words, found] of TABLE) {
  test(`completes ${what}: ${words.join(' ')}`, (context) => {
    const lines = printed(context, () =>
      complete(
        buildProgram(() => {}),
        words,
      ),
    ).split('\n');
    assert.deepEqual(
      lines.map((line) => line.split('\t')[0]),
      found,
    );
  });
}

test('the script for bash is one that bash can read', (context) => {
  const script = printed(context, () => printScript('bash'));
  assert.match(script, /turnsole complete -- /);
  const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});
