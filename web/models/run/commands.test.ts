import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterCommands, projectCommands } from './commands.ts';

const lines = (commands: readonly { readonly line: string }[]): string =>
  commands.map(({ line }) => line).join('\n');

test('an engine is stopped by its state, a workflow by the command, a result by nothing', () => {
  const place = { namespace: 'shop', name: 'checkout' };
  assert.match(
    lines(clusterCommands({ ...place, kind: 'ChaosEngine' })),
    /^kubectl patch chaosengine checkout -n shop/m,
  );
  const workflow = lines(clusterCommands({ ...place, kind: 'Workflow' }));
  assert.match(workflow, /^turnsole timeline workflow\/checkout -n shop$/m);
  assert.match(workflow, /^turnsole workflow stop checkout -n shop$/m);
  assert.doesNotMatch(lines(clusterCommands({ ...place, kind: 'ChaosResult' })), /stop/);
});

test('words are quoted for a shell', () => {
  const hostile = "x'; rm -rf / #";
  const text = lines(
    projectCommands({ project: 'p', run: 'r', experiment: hostile, address: 'https://chaos.example.com' }),
  );
  assert.match(
    text,
    /experiment run 'x'\\''; rm -rf \/ #' --wait --server https:\/\/chaos\.example\.com --project p/,
  );
});
