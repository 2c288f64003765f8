import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOidcSettings } from '../../access/oidc-settings.ts';
import { localPath } from './begin-login.ts';
import { identityOf } from './complete-login.ts';

const PATHS: readonly [text: string | undefined, path: string][] = [
  [undefined, '/'],
  ['/runs/4?x=1#y', '/runs/4?x=1#y'],
  ['https://evil.example.com/', '/'],
  ['//evil.example.com/', '/'],
  ['/\\evil.example.com/', '/'],
  ['/\t/evil.example.com/', '/'],
  ['javascript:alert(1)', '/'],
  ['/..//evil.example.com', '/'],
];
for (const [text, path] of PATHS) {
  test(`after the sign-in ${JSON.stringify(text)} leads to ${path}`, () =>
    assert.equal(localPath(text), path));
}

const CLAIMS = { iss: 'https://id.example.com', sub: '7', email: 'ann@example.com', name: 'Ann' };

test('an e-mail address counts when the provider has verified it', () => {
  assert.equal(identityOf({ ...CLAIMS, email_verified: true }).email, 'ann@example.com');
  for (const email_verified of [false, 'true', undefined])
    assert.equal(identityOf({ ...CLAIMS, email_verified }).email, '', String(email_verified));
});

test('all names that are tried are valid, and the last one is not taken', () => {
  const { usernames } = identityOf({ ...CLAIMS, preferred_username: '../x' });
  assert.equal(usernames.length, 1);
  assert.match(usernames[0] ?? '', /^sso-[0-9a-f]{12}$/);
  assert.throws(() => identityOf({ iss: 'x' }), { code: 'unauthenticated' });
});

const ENV = {
  DEX_ENABLED: 'true',
  OIDC_ISSUER: 'https://id.example.com',
  DEX_OAUTH_CLIENT_ID: 'c',
  DEX_OAUTH_CLIENT_SECRET: 's',
  DEX_OAUTH_CALLBACK_URL: 'https://chaos.example.com/auth/dex/callback',
};

test('settings are those of upstream; the issuer is asked by https, but on this machine', () => {
  assert.equal(readOidcSettings({ ...ENV, DEX_ENABLED: 'false' }), undefined);
  assert.equal(readOidcSettings(ENV)?.tokenInUrl, false);
  assert.equal(readOidcSettings({ ...ENV, OIDC_ISSUER: 'http://127.0.0.1:1' })?.issuer, 'http://127.0.0.1:1');
  assert.throws(
    () => readOidcSettings({ ...ENV, OIDC_ISSUER: 'http://id.example.com' }),
    /^RangeError: OIDC_ISSUER/,
  );
  assert.throws(
    () => readOidcSettings({ ...ENV, DEX_OAUTH_CLIENT_ID: '' }),
    /DEX_OAUTH_CLIENT_ID is missing/,
  );
});
