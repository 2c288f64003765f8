import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import { BadInputError } from '../errors.ts';
import { parseSettings } from '../manifests/settings-file.ts';
import {
  PLATFORM_SCHEMA,
  type PlatformValues,
  platformProblems,
  withPlatformMetadata,
} from './platform-values.ts';

const KIND = { schema: PLATFORM_SCHEMA, example: 'labels', problemsOf: platformProblems };

function parsed(text: string): PlatformValues {
  return parseSettings<PlatformValues>('v.yaml', text, KIND);
}

describe('what platform teams ask', () => {
  it('is what the documentation shows, field by field', async () => {
    const page = await readFile(join(PACKAGE_ROOT, 'docs', 'install.md'), 'utf8');
    const shown =
      /^```yaml\n(labels: [\s\S]+?)```$/m.exec(page)?.[1] ?? assert.fail('the page has no example');
    assert.deepEqual(
      Object.keys(parsed(shown)).toSorted(),
      Object.keys(PLATFORM_SCHEMA.properties).toSorted(),
    );
  });

  const refused: [text: string, message: RegExp][] = [
    ['tolerations: infra', /v\.yaml:1: tolerations: /],
    ['nodeSelector: { pool: 7 }', /v\.yaml:1: nodeSelector\.pool: /],
    [
      'labels:\n  turnsole.io/installation: x',
      /v\.yaml:2: labels\.turnsole\.io\/installation: .*another name/,
    ],
    ['extraEnv:\n  - { value: x }', /v\.yaml:2: extraEnv\.0\.name: expected the name of a variable/],
    ['annotations: { a: b }\ningressAnnotations: { a: c }', /ingressAnnotations\.a: annotations has it/],
    ['replicas: 2', /v\.yaml:1: replicas: unknown field; there is labels, /],
    ['- a', /v\.yaml:1: expected fields such as labels/],
  ];
  for (const [text, message] of refused)
    it(`is not ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => parsed(text),
        (error) => error instanceof BadInputError && message.test(error.message),
      ));

  it('stands on objects and on the pods of Deployments, beside what is there', () => {
    const metadata = { name: 'x', labels: { a: '1' }, annotations: { b: '2' } };
    const values = { labels: { team: 'sre' }, annotations: { owner: 'sre' } };
    const marked = {
      name: 'x',
      labels: { a: '1', team: 'sre' },
      annotations: { b: '2', owner: 'sre' },
    };
    const plain = { apiVersion: 'v1', kind: 'Service', metadata, spec: {} };
    assert.deepEqual(withPlatformMetadata(plain, values), { ...plain, metadata: marked });
    const spec = { replicas: 1, template: { metadata, spec: {} } };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
    assert.deepEqual(withPlatformMetadata(deployment, values), {
      ...deployment,
      metadata: marked,
      spec: { replicas: 1, template: { metadata: marked, spec: {} } },
    });
    assert.deepEqual(withPlatformMetadata(deployment, {}), deployment);
  });
});
