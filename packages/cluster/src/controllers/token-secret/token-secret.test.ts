import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { Secret, ServiceAccount } from '@turnsole/kube/kinds/core';
import { SECRETS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { startTestCluster } from '../testing/cluster.ts';
import { decideTokenSecret, encoded, type TokenSecretStep } from './decide-token-secret.ts';

const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';
const TYPE = 'kubernetes.io/service-account-token';

function secret(data: Record<string, string>, uid?: string): Secret {
  return {
    metadata: {
      name: 's',
      namespace: 'n',
      annotations: { [NAME]: 'a', ...(uid === undefined ? {} : { [UID]: uid }) },
    },
    type: TYPE,
    data,
  };
}

test('a token secret is filled with what is missing, and removed without its account', () => {
  const account: ServiceAccount = { metadata: { name: 'a', namespace: 'n', uid: 'u' } };
  const whole = { token: 'x', 'ca.crt': encoded('CA'), namespace: encoded('n') };
  const annotations = { [UID]: 'u' };
  const { token: _, ...withoutToken } = whole;
  const cases: readonly (readonly [string, Secret, ServiceAccount | undefined, TokenSecretStep])[] = [
    ['new', secret({}), account, { kind: 'fill', data: withoutToken, annotations, needsToken: true }],
    ['whole', secret(whole, 'u'), account, { kind: 'none' }],
    ['without uid', secret(whole), account, { kind: 'fill', data: {}, annotations, needsToken: false }],
    [
      'without token',
      secret(withoutToken, 'u'),
      account,
      { kind: 'fill', data: {}, annotations, needsToken: true },
    ],
    [
      'of another authority',
      secret({ ...whole, 'ca.crt': encoded('old') }, 'u'),
      account,
      { kind: 'fill', data: { 'ca.crt': encoded('CA') }, annotations, needsToken: false },
    ],
    ['of an account that is gone', secret(whole, 'u'), undefined, { kind: 'remove' }],
    ['of an account that never was', secret({}), undefined, { kind: 'remove' }],
    ['of an earlier account of the name', secret(whole, 'earlier'), account, { kind: 'remove' }],
  ];
  for (const [name, given, owner, wanted] of cases)
    assert.deepEqual(decideTokenSecret(given, owner, 'CA'), wanted, name);
});

test('the token of a secret is the account’s until either goes', async (t) => {
  const cluster = await startTestCluster(t, { options: { certificateAuthority: 'CA' } });
  const place = { namespace: 'default' };
  const make = (name: string, account: string): Promise<Secret> =>
    cluster.create<Secret>(SECRETS, {
      metadata: { name, ...place, annotations: { [NAME]: account } },
      type: TYPE,
    });
  const { metadata } = await cluster.create<ServiceAccount>(SERVICE_ACCOUNTS, {
    metadata: { name: 'robot', ...place },
  });
  await make('token', 'robot');
  const filled = await cluster.object<Secret>(SECRETS, 'token', ({ data }) => data?.token !== undefined);
  assert.equal(filled.metadata.annotations?.[UID], metadata.uid);
  const text = (key: string): string => Buffer.from(filled.data?.[key] ?? '', 'base64').toString();
  assert.deepEqual([text('ca.crt'), text('namespace')], ['CA', 'default']);
  const review = async (): Promise<unknown> => {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: text('token') },
    };
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const { status } = await cluster.client.raw<{ status: { user?: { username?: string } } }>(
      'POST',
      path,
      body,
    );
    return status.user?.username;
  };
  assert.equal(await review(), 'system:serviceaccount:default:robot');

  await make('orphan', 'nobody');
  await cluster.gone(SECRETS, 'orphan');

  await cluster.client.delete(SECRETS, 'token', place);
  assert.equal(await review(), undefined, 'the token goes with its secret');
  await make('again', 'robot');
  await cluster.object<Secret>(SECRETS, 'again', ({ data }) => data?.token !== undefined);
  await cluster.client.delete(SERVICE_ACCOUNTS, 'robot', place);
  await cluster.gone(SECRETS, 'again');

  const nameless = { metadata: { name: 'nameless', ...place }, type: TYPE };
  await assert.rejects(cluster.create<Secret>(SECRETS, nameless), (error) => {
    assert.ok(error instanceof ApiError && error.status.code === 422);
    assert.match(
      error.message,
      /metadata\.annotations\[kubernetes\.io\/service-account\.name\]: Required value/,
    );
    return true;
  });
});
