import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterCommands, projectCommands } from './commands.ts';

const HERE = { turnsole: 'turnsole', variables: '', cluster: '--kubeconfig /kc' };

const lines = (commands: readonly { readonly line: string }[]): string =>
  commands.map(({ line }) => line).join('\n');

test('an engine is stopped by its state, a workflow by the command, a result by nothing', () => {
  const place = { namespace: 'shop', name: 'checkout' };
  assert.match(
    lines(clusterCommands({ ...place, kind: 'ChaosEngine' }, HERE)),
    /^kubectl patch chaosengine checkout -n shop --kubeconfig \/kc --type merge/m,
  );
  const workflow = lines(clusterCommands({ ...place, kind: 'Workflow' }, HERE));
  assert.match(workflow, /^turnsole timeline workflow\/checkout -n shop --kubeconfig \/kc$/m);
  assert.match(workflow, /^turnsole workflow stop checkout -n shop --kubeconfig \/kc$/m);
  assert.doesNotMatch(lines(clusterCommands({ ...place, kind: 'ChaosResult' }, HERE)), /stop/);
});

test('where several files say the way to the cluster, each program gets their variable', () => {
  const variables = 'KUBECONFIG=/a:/b ';
  const words = { turnsole: `${variables}node /t/turnsole.js`, variables, cluster: '' };
  const engine = clusterCommands({ kind: 'ChaosEngine', namespace: 'shop', name: 'checkout' }, words);
  for (const { line } of engine) assert.match(line, /^KUBECONFIG=\/a:\/b (node \/t\/turnsole.js|kubectl) \w/);
});

test('words are quoted for a shell', () => {
  const hostile = "x'; rm -rf / #";
  const text = lines(
    projectCommands({
      ...{ project: 'p', run: 'r', experiment: hostile },
      address: 'https://chaos.example.com',
    }),
  );
  assert.match(
    text,
    /experiment run 'x'\\''; rm -rf \/ #' --wait --server https:\/\/chaos\.example\.com --project p/,
  );
});
