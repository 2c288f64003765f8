import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { asJson, asString } from '../object.ts';
import { startTestServer, withDefaultAccount } from '../testing/test-server.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';

test('a token of a service account is verified by what the issuer says of itself', async (t) => {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  const asked = await server.call('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
    body: { spec: { audiences: ['shop'] } },
  });
  const token = asString(asJson(asked.body['status'])['token']);

  const { body: issuer } = await server.call('GET', CONFIGURATION);
  assert.ok(asString(issuer['jwks_uri']).endsWith(KEYS));
  const { body: keys } = await server.call('GET', KEYS);
  const verified = await jwtVerify(token, createLocalJWKSet(keys as unknown as JSONWebKeySet), {
    issuer: asString(issuer['issuer']),
    audience: 'shop',
  });
  assert.equal(verified.payload.sub, 'system:serviceaccount:default:default');
  assert.equal(JSON.stringify(keys).includes('"d"'), false, 'the private key stays here');

  // Accounts may read them, by tokens that are meant for this server; strangers may not, and nobody writes them.
  const meant = await server.call('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
    body: {},
  });
  const own = asString(asJson(meant.body['status'])['token']);
  for (const path of [CONFIGURATION, KEYS]) {
    assert.equal((await server.call('GET', path, { token: own })).status, 200);
    assert.equal((await server.call('GET', path, { token })).status, 401);
    assert.equal((await server.call('GET', path, { token: '' })).status, 401);
    assert.equal((await server.call('POST', path, { body: {} })).status, 405);
  }
});
