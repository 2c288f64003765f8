import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '@turnsole/kube/kinds/core';
import { credentialsIn, readPullSecrets } from './pull-secrets.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secret(data: Readonly<Record<string, string>>): Secret {
  const encoded = Object.entries(data).map(([key, text]) => [key, base64(text)]);
  return { metadata: { name: 's' }, data: Object.fromEntries(encoded) };
}

const CONFIG = JSON.stringify({
  auths: {
    'https://index.docker.io/v1/': { auth: base64('hub:of:docker') },
    'registry.example:5000': { username: 'all', password: 'a' },
    'registry.example:5000/shop': { username: 'shop', password: 's' },
    '*.cloud.example': { identitytoken: 'exchange me' },
    'token.example': { registrytoken: 'bear me' },
    'empty.example': {},
  },
});

const rows: [registry: string, repository: string, found: object | undefined][] = [
  ['docker.io', 'library/redis', { username: 'hub', password: 'of:docker' }],
  ['registry.example:5000', 'web', { username: 'all', password: 'a' }],
  ['registry.example:5000', 'shop/api', { username: 'shop', password: 's' }],
  ['registry.example:5000', 'shopping/api', { username: 'all', password: 'a' }],
  ['registry.example', 'web', undefined],
  ['eu.cloud.example', 'web', { identityToken: 'exchange me' }],
  ['a.b.cloud.example', 'web', undefined],
  ['token.example', 'web', { registryToken: 'bear me' }],
  ['empty.example', 'web', undefined],
];

for (const [registry, repository, found] of rows) {
  test(`the credentials for ${registry}/${repository}`, async () => {
    assert.deepEqual(
      await credentialsIn(secret({ '.dockerconfigjson': CONFIG }))(registry, repository),
      found,
    );
  });
}

test('the old form has the registries at its top', async () => {
  const source = credentialsIn(secret({ '.dockercfg': '{"r.example":{"auth":"dTpw"}}' }));
  assert.deepEqual(await source('r.example', 'a'), { username: 'u', password: 'p' });
});

test('Secrets that cannot be used are named, and the others count', async () => {
  const found: Readonly<Record<string, Secret>> = {
    good: secret({ '.dockerconfigjson': CONFIG }),
    other: secret({ password: 'x' }),
    broken: secret({ '.dockerconfigjson': '{' }),
    empty: secret({ '.dockerconfigjson': '{}' }),
  };
  const names = ['good', 'gone', 'other', 'broken', 'empty', ''];
  const pod = {
    metadata: { name: 'p', namespace: 'n' },
    spec: { containers: [], imagePullSecrets: names.map((name) => ({ name })) },
  };
  const { sources, problems } = await readPullSecrets(pod, (_, name) => Promise.resolve(found[name]));
  assert.equal(sources.length, 1);
  assert.deepEqual(
    problems.map((text) => text.replace('the image pull secret n/', '')),
    [
      'gone cannot be used: it does not exist',
      'other cannot be used: it has neither .dockerconfigjson nor .dockercfg',
      'broken cannot be used: its configuration is no JSON object',
      'empty cannot be used: its configuration has no auths',
    ],
  );
});
