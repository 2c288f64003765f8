import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { InstallObject } from '../install-object.ts';
import type { Registration } from './registration.ts';
import { renderManifest } from './render-manifest.ts';

const REGISTRATION: Registration = {
  ...{ infraID: 'i', accessKey: 'k', isConfirmed: false, scope: 'cluster', namespace: 'litmus' },
  ...{ serviceAccount: 'litmus', namespaceExists: true, serviceAccountExists: true, startTime: 1 },
  ...{ serverAddress: 'http://127.0.0.1:9002/query', version: '3.31.0', skipSsl: false, ca: undefined },
  ...{ nodeSelector: {}, tolerations: [], image: 'turnsole/turnsole:1' },
};

/** Pod templates of the manifest's Deployments, by name. */
function templates(flavour: 'turnsole' | 'litmus', change: Partial<Registration>): Map<string, unknown> {
  const objects = parseAllDocuments(renderManifest({ ...REGISTRATION, ...change }, flavour)).map(
    (document): InstallObject => document.toJS(),
  );
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  return new Map(
    deployments.map(({ metadata, spec }) => [metadata.name, (spec as { template: unknown }).template]),
  );
}

function changedBy(flavour: 'turnsole' | 'litmus', change: Partial<Registration>): string[] {
  const [before, after] = [templates(flavour, {}), templates(flavour, change)];
  return [...before].flatMap(([name, template]) =>
    JSON.stringify(template) === JSON.stringify(after.get(name)) ? [] : [name],
  );
}

for (const [flavour, readers] of [
  ['turnsole', ['turnsole-subscriber']],
  ['litmus', ['subscriber', 'event-tracker']],
] as const) {
  test(`of ${flavour}'s components, those that read the agent's settings are replaced when these change`, () => {
    assert.deepEqual(
      changedBy(flavour, { serverAddress: 'https://chaos.example/query' }).toSorted(),
      readers.toSorted(),
    );
    assert.deepEqual(changedBy(flavour, { ca: 'PEM' }).toSorted(), readers.toSorted());
  });

  test(`of ${flavour}'s components, none is replaced when the agent confirms itself`, () => {
    assert.deepEqual(changedBy(flavour, { isConfirmed: true, accessKey: 'new' }), []);
  });
}
