import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { at, listAt, textAt } from '../json/json.ts';
import { withApplication } from './with-application.ts';

const SAMPLE = join(import.meta.dirname, '../../../deploy/hub/experiments/pods-die/experiment.yaml');

test('the sample of the hub first makes its application, and stays as it is besides', async () => {
  const sample = parse(await readFile(SAMPLE, 'utf8'));
  const made = withApplication(sample, 'kind: Deployment');
  const [entry, ...others] = listAt(made, 'spec', 'templates');
  assert.deepEqual(
    listAt(entry, 'steps').map((group) => textAt((group as readonly unknown[])[0], 'template')),
    ['sample-application', 'install-chaos-faults', 'pod-delete', 'cleanup-chaos-resources'],
  );
  const [first, ...rest] = others.toReversed();
  assert.deepEqual(rest.toReversed(), listAt(sample, 'spec', 'templates').slice(1));
  const [artifact] = listAt(first, 'inputs', 'artifacts');
  assert.equal(textAt(artifact, 'raw', 'data'), 'kind: Deployment');
  assert.equal(
    listAt(at(first, 'container'), 'args')[0],
    'there=$(kubectl get {{workflow.parameters.appKind}} -l {{workflow.parameters.appLabel}} -n {{workflow.parameters.appNamespace}} -o name); ' +
      'if [ -n "$there" ]; then echo "$there is there"; ' +
      'else kubectl create -f $TURNSOLE_POD_ROOT/tmp/sample-application.yaml -n {{workflow.parameters.appNamespace}}; fi',
  );
});
