import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type Attack, type AttackScene, ask, attacksAreRefused, openAttackScene } from './scene.ts';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A change of an owner's token: header, claims, signature. */
type Forgery = (header: object, claims: Record<string, unknown>, signature: string) => string;

const signed = (header: object, claims: object, key: string, hash = 'sha512'): string => {
  const body = `${encoded(header)}.${encoded(claims)}`;
  return `${body}.${createHmac(hash, key).update(body).digest('base64url')}`;
};

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'no algorithm': (_header, claims) => `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims)}.`,
  'no algorithm, in capitals': (_header, claims) => `${encoded({ alg: 'NONE' })}.${encoded(claims)}.`,
  'no algorithm, with the signature': (_header, claims, signature) =>
    `${encoded({ alg: 'none' })}.${encoded(claims)}.${signature}`,
  'an empty signature': (header, claims) => `${encoded(header)}.${encoded(claims)}.`,
  'a missing signature': (header, claims) => `${encoded(header)}.${encoded(claims)}`,
  'a signature of zeros': (header, claims) => `${encoded(header)}.${encoded(claims)}.${'A'.repeat(86)}`,
  'a signature by an empty key': (header, claims) => signed(header, claims, ''),
  'a signature by a guessable key': (header, claims) => signed(header, claims, 'litmus-portal@123'),
  'a signature by "secret"': (header, claims) => signed(header, claims, 'secret'),
  'a shorter hash': (header, claims) => signed({ ...header, alg: 'HS256' }, claims, '', 'sha256'),
  'an asymmetric algorithm': (header, claims, signature) =>
    `${encoded({ ...header, alg: 'RS256' })}.${encoded(claims)}.${signature}`,
  'another user': (header, claims, signature) =>
    `${encoded(header)}.${encoded({ ...claims, uid: 'admin' })}.${signature}`,
  'the role of an administrator': (header, claims, signature) =>
    `${encoded(header)}.${encoded({ ...claims, role: 'admin' })}.${signature}`,
  'a later end': (header, claims, signature) =>
    `${encoded(header)}.${encoded({ ...claims, exp: 99_999_999_999 })}.${signature}`,
  'a key beside it': (header, claims) => signed({ ...header, jwk: { kty: 'oct', k: '' } }, claims, ''),
  'a key by address': (header, claims) => signed({ ...header, jku: 'http://127.0.0.1:1/keys' }, claims, ''),
  'a key by path': (header, claims) => signed({ ...header, kid: '../../../../dev/null' }, claims, ''),
  'a key by query': (header, claims) => signed({ ...header, kid: "x' union select 'y" }, claims, 'y'),
  'a critical extension': (header, claims, signature) =>
    `${encoded({ ...header, crit: ['x'], x: 1 })}.${encoded(claims)}.${signature}`,
  'claims that are a list': (header, _claims, signature) => `${encoded(header)}.${encoded([])}.${signature}`,
  'a prototype': (header, claims, signature) =>
    `${encoded(header)}.${encoded({ ...claims, constructor: 1 })}.${signature}`,
  junk: () => 'a.b.c',
  'a million dots': () => '.'.repeat(8_000),
  'the word null': () => 'null',
  'a token of five parts': (header, claims, signature) =>
    `${encoded(header)}.${encoded(claims)}.${signature}.a.b`,
};

const forged = (token: string, forgery: Forgery): string => {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return forgery(read(header), read(claims), signature);
};

/** Headers of a browser on a page of somebody else's, with the owner's cookie. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'http://evil.example' },
  { origin: 'null' },
  { origin: 'https://localhost' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'http://localhost:81' },
  { origin: 'http://evil.example#http://localhost' },
  { origin: 'http://localhost@evil.example' },
  { origin: 'file://' },
  { origin: 'chrome-extension://localhost' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  {},
];

test('forged tokens and foreign pages', async (t) => {
  const scene: AttackScene = await openAttackScene();
  const withToken = (
    headers: (token: string) => Readonly<Record<string, string>>,
    forgery: Forgery,
  ): Attack[1] => {
    return async ({ server, owner }) =>
      ask(server, { url: '/list_projects', headers: headers(forged(owner.token, forgery)) });
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  await attacksAreRefused(
    t,
    scene,
    Object.entries(FORGERIES).flatMap(([name, forgery]): Attack[] => [
      [`a token with ${name}`, withToken(bearer, forgery)],
      [
        `a cookie with ${name}`,
        withToken((token) => ({ cookie: `${scene.server.plane.tokens.cookieName}=${token}` }), forgery),
      ],
    ]),
  );
  await attacksAreRefused(
    t,
    scene,
    FOREIGN.map(
      (headers): Attack => [
        `a page of another place creates a project: ${JSON.stringify(headers)}`,
        async ({ server, owner }) =>
          ask(server, {
            method: 'POST',
            url: '/create_project',
            payload: '{"projectName":"theirs"}',
            headers: {
              host: 'localhost',
              cookie: `${server.plane.tokens.cookieName}=${owner.token}`,
              ...headers,
            },
          }),
      ],
    ),
  );
  await t.test('the right token and the own page are let in', async () => {
    const { server, owner } = scene;
    assert.equal((await ask(server, { url: '/list_projects', headers: bearer(owner.token) })).status, 200);
  });
});
