import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Artifact } from '../kinds/parameters.ts';
import { readRepository, repositoryKey } from './repository.ts';
import { resolveInput, resolveOutput } from './resolve.ts';
import { secretsIn } from './secrets.ts';

const S3 = { endpoint: 'minio:9000', bucket: 'b', accessKeySecret: { name: 'cred', key: 'id' } };
const REPOSITORY = readRepository({ s3: { ...S3, keyFormat: 'runs/{{workflow.name}}' } }, 'configuration');
const CLAIM = readRepository({ volume: { persistentVolumeClaim: { claimName: 'c' } } }, 'configuration');
const ARTIFACTORY = readRepository({ artifactory: { repoURL: 'http://a/r/', keyFormat: 'k' } }, 'c');

const render = (text: string): string =>
  text.replaceAll('{{workflow.name}}', 'w').replaceAll('{{pod.name}}', 'w-1');

describe('inputs', () => {
  const rows: readonly [name: string, artifact: Omit<Artifact, 'name'>, expected: object][] = [
    ['a key alone lies in the repository', { s3: { key: 'k' } }, { s3: { ...S3, key: 'k' } }],
    ['whatever kind it is written as', { gcs: { key: 'k' } }, { s3: { ...S3, key: 'k' } }],
    ['what it says wins', { s3: { key: 'k', bucket: 'mine' } }, { s3: { ...S3, bucket: 'mine', key: 'k' } }],
    [
      'another store has nothing of the repository',
      { s3: { endpoint: 'e', bucket: 'x', key: 'k' } },
      { s3: { endpoint: 'e', bucket: 'x', key: 'k' } },
    ],
    [
      'a sub-path is below the key',
      { s3: { key: '{{pod.name}}/' }, subPath: 'a/b' },
      { s3: { ...S3, key: 'w-1/a/b' }, subPath: 'a/b' },
    ],
    ['a URL says all', { http: { url: 'http://x' } }, { http: { url: 'http://x' } }],
  ];
  for (const [name, artifact, expected] of rows)
    test(name, () =>
      assert.deepEqual(resolveInput({ name: 'a', ...artifact }, REPOSITORY, render), {
        name: 'a',
        ...expected,
      }),
    );
});

describe('outputs', () => {
  const rows: readonly [
    name: string,
    artifact: { readonly path: string; readonly archive?: object; readonly s3?: object },
    repository: typeof REPOSITORY,
    shown: object,
    target: object,
  ][] = [
    [
      'a tarball in the repository',
      { path: '/x' },
      REPOSITORY,
      { s3: { key: 'runs/w/a.tgz' } },
      { s3: { ...S3, key: 'runs/w/a.tgz' } },
    ],
    [
      'the default format',
      { path: '/x', archive: { zip: {} } },
      CLAIM,
      { volume: { key: 'w/w-1/a.zip' } },
      { volume: { persistentVolumeClaim: { claimName: 'c' }, key: 'w/w-1/a.zip' } },
    ],
    [
      'as it is, under its own name',
      { path: '/tmp/dir/', archive: { none: {} } },
      REPOSITORY,
      { s3: { key: 'runs/w/dir' } },
      { s3: { ...S3, key: 'runs/w/dir' } },
    ],
    [
      'a key of its own stays as it is',
      { path: '/x', s3: { key: 'k' } },
      REPOSITORY,
      { s3: { key: 'k' } },
      { s3: { ...S3, key: 'k' } },
    ],
    [
      'a store of its own is shown whole',
      { path: '/x', s3: { endpoint: 'e', bucket: 'x', key: 'k' } },
      REPOSITORY,
      { s3: { endpoint: 'e', bucket: 'x', key: 'k' } },
      { s3: { endpoint: 'e', bucket: 'x', key: 'k' } },
    ],
    [
      'a URL of a repository',
      { path: '/x' },
      ARTIFACTORY,
      { artifactory: { url: 'http://a/r/k/a.tgz' } },
      { artifactory: { url: 'http://a/r/k/a.tgz' } },
    ],
  ];
  for (const [name, { path, archive, ...location }, repository, shown, target] of rows)
    test(name, () => {
      const common = { name: 'a', path, ...(archive !== undefined && { archive }) };
      const placed = resolveOutput({ ...common, ...location }, repository, render);
      assert.deepEqual(placed, { artifact: { ...common, ...shown }, target: { ...common, ...target } });
    });
});

describe('what cannot be reached is refused by name', () => {
  const s3 = { endpoint: 'e', bucket: 'b', key: 'k' };
  const rows: readonly [location: object, message: RegExp][] = [
    [{}, /artifact a has no location/],
    [{ s3: { key: 'k' } }, /artifact a: its location s3 does not say which store .* artifact-repositories/],
    [{ gcs: { bucket: 'b', key: 'k' } }, /artifact a: it lies in gcs, which Turnsole cannot reach: .*HMAC/],
    [{ s3: { ...s3, roleARN: 'r' } }, /artifact a: s3\.roleARN is not supported: use/],
    [
      { s3: { ...s3, encryptionOptions: { serverSideCustomerKeySecret: { name: 'n', key: 'k' } } } },
      /artifact a: s3\.encryptionOptions\.serverSideCustomerKeySecret is not supported/,
    ],
  ];
  for (const [location, message] of rows)
    test(String(message), () =>
      assert.throws(() => resolveInput({ name: 'a', ...location }, undefined, render), { message }),
    );
  test('outputs in git', () =>
    assert.throws(
      () => resolveOutput({ name: 'a', git: { repo: 'r' } }, undefined, render),
      /another location/,
    ));
  test('outputs without a repository', () =>
    assert.throws(
      () => resolveOutput({ name: 'a', path: '/x' }, undefined, render),
      /no artifact repository/,
    ));
});

test('which repository of a ConfigMap is meant', () => {
  const map = { metadata: { name: 'm' }, data: { one: '', two: '' } };
  const annotations = { 'workflows.argoproj.io/default-artifact-repository': 'two' };
  assert.equal(repositoryKey({ key: 'one' }, map), 'one');
  assert.equal(repositoryKey({}, { ...map, metadata: { name: 'm', annotations } }), 'two');
  assert.throws(() => repositoryKey({}, map), /has no annotation .*its keys are one, two/);
  assert.throws(() => repositoryKey({ key: 'three' }, map), /has no artifact repository three/);
});

test('Secrets are found wherever a location names them', () => {
  const basicAuth = { usernameSecret: { name: 's', key: 'u' }, passwordSecret: { name: 's', key: 'p' } };
  const oauth2 = { clientIDSecret: { name: 't', key: 'i' }, scopes: ['a'] };
  assert.deepEqual(secretsIn({ http: { url: 'x', auth: { basicAuth, oauth2 } }, again: basicAuth }), [
    { name: 's', key: 'u' },
    { name: 's', key: 'p' },
    { name: 't', key: 'i' },
  ]);
});
