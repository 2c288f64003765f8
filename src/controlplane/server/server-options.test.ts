import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileServerOptions, type ServerOptions } from './server-options.ts';

const HOME = { HOME: '/home/me' };
type Env = Readonly<Record<string, string>>;

describe('settings of a server', () => {
  test('without options: the server keeps a file in the data folder of the user and listens on this machine only', () => {
    const { location, listen, metricsListen, tls, retention, settings } = compileServerOptions({}, HOME);
    assert.deepEqual(location, { folder: '/home/me/.local/share/turnsole/server' });
    assert.deepEqual(listen, { host: '127.0.0.1', port: 9002 });
    assert.equal(metricsListen, undefined);
    assert.equal(tls, undefined);
    assert.deepEqual(retention, { runsMs: undefined, auditMs: undefined });
    assert.equal(settings.sessionSeconds, 86_400);
    assert.deepEqual(settings.compatibleVersions, [settings.version]);
  });

  const read: readonly (readonly [
    string,
    ServerOptions,
    Env,
    (found: ReturnType<typeof compileServerOptions>) => unknown,
    unknown,
  ])[] = [
    [
      'a database',
      { database: 'postgres://u@h/d' },
      {},
      ({ location }) => location,
      { url: 'postgres://u@h/d' },
    ],
    [
      'a database of the environment',
      {},
      { TURNSOLE_DATABASE_URL: 'postgresql://h/d' },
      ({ location }) => location,
      { url: 'postgresql://h/d' },
    ],
    ['a port for all', { listen: ':80' }, {}, ({ listen }) => listen, { host: '::', port: 80 }],
    ['a port here', { listen: '80' }, {}, ({ listen }) => listen, { host: '127.0.0.1', port: 80 }],
    ['IPv6', { listen: '[::1]:80' }, {}, ({ listen }) => listen, { host: '::1', port: 80 }],
    ["upstream's ports", {}, { REST_PORT: '8080' }, ({ listen }) => listen, { host: '::', port: 8080 }],
    [
      'metrics',
      {},
      { METRICS_PORT: '8889' },
      ({ metricsListen }) => metricsListen,
      { host: '::', port: 8889 },
    ],
    ['the option before the variable', { listen: '1' }, { REST_PORT: '2' }, ({ listen }) => listen.port, 1],
    [
      'a public address',
      { publicUrl: 'https://chaos.example.com/' },
      {},
      ({ settings }) => settings.publicUrl,
      'https://chaos.example.com',
    ],
    ['minutes of sessions', {}, { JWT_EXPIRY_MINS: '60' }, ({ settings }) => settings.sessionSeconds, 3_600],
    [
      'versions',
      {},
      { INFRA_COMPATIBLE_VERSIONS: '["1.0.0"]' },
      ({ settings }) => settings.compatibleVersions,
      ['1.0.0'],
    ],
    [
      'days',
      { keepRunsDays: 1 },
      { KEEP_AUDIT_DAYS: '2' },
      ({ retention }) => retention,
      { runsMs: 86_400_000, auditMs: 172_800_000 },
    ],
    [
      "ChaosCenter's own settings of its default hub ask for nothing",
      {},
      {
        ...{ DEFAULT_HUB_NAME: 'Litmus ChaosHub', DEFAULT_HUB_BRANCH_NAME: 'v3.31.x', DEFAULT_HUB_TOKEN: '' },
        ...{
          DEFAULT_HUB_GIT_URL: 'https://github.com/litmuschaos/chaos-charts',
          DEFAULT_HUB_IS_PRIVATE: 'false',
        },
      },
      ({ tls }) => tls,
      undefined,
    ],
    ['TLS only when it is on', {}, { TLS_CERT_PATH: 'c', TLS_KEY_PATH: 'k' }, ({ tls }) => tls, undefined],
    [
      'TLS of the environment',
      {},
      { ENABLE_INTERNAL_TLS: 'true', TLS_CERT_PATH: 'c', TLS_KEY_PATH: 'k' },
      ({ tls }) => tls,
      { certFile: 'c', keyFile: 'k' },
    ],
  ];
  for (const [name, options, env, pick, expected] of read) {
    test(name, () => assert.deepEqual(pick(compileServerOptions(options, { ...HOME, ...env })), expected));
  }

  test('an origin is compared as a whole', () => {
    const { settings } = compileServerOptions({ allowedOrigin: ['https://a\\.example'] }, HOME);
    const [pattern] = settings.allowedOrigins;
    assert.equal(pattern?.isIn('https://a.example'), true);
    assert.equal(pattern?.isIn('https://a.example.evil.test'), false);
  });

  const refused: readonly (readonly [ServerOptions, Env, RegExp])[] = [
    [{ database: 'mongodb://h' }, {}, /^--database: expected postgres/],
    [{ listen: 'host' }, {}, /^--listen: expected HOST:PORT/],
    [{ listen: ':70000' }, {}, /^--listen/],
    [{ tlsCert: 'c' }, {}, /^--tls-cert and --tls-key belong together/],
    [{ publicUrl: 'ftp://h' }, {}, /^--public-url: expected http/],
    [{ allowedOrigin: ['('] }, {}, /^--allowed-origin: /],
    [{ allowedOrigin: ['a)|(b'] }, {}, /^--allowed-origin: pattern "a\)\|\(b" does not compile/],
    [{}, { REST_PORT: 'x' }, /^variable REST_PORT/],
    [{}, { REST_PORT: '70000' }, /^variable REST_PORT: expected a port, found "70000"$/],
    [{}, { METRICS_PORT: '70000' }, /^variable METRICS_PORT: expected a port, found "70000"$/],
    [{}, { TURNSOLE_DATABASE_URL: 'mongodb://h' }, /^variable TURNSOLE_DATABASE_URL: expected postgres/],
    [{}, { CHAOS_GRAPH_QL_ENDPOINT: 'ftp://h' }, /^variable CHAOS_GRAPH_QL_ENDPOINT: expected http/],
    [{}, { TURNSOLE_SERVICE_URL: 'ftp://h' }, /^variable TURNSOLE_SERVICE_URL: expected http/],
    [{}, { ALLOWED_ORIGINS: 'https://a.example,(' }, /^variable ALLOWED_ORIGINS: /],
    [
      {},
      { ENABLE_INTERNAL_TLS: 'true', TLS_CERT_PATH: 'c' },
      /^variables TLS_CERT_PATH and TLS_KEY_PATH belong together/,
    ],
    [{}, { JWT_EXPIRY_MINS: '-1' }, /^variable JWT_EXPIRY_MINS/],
    [{}, { INFRA_COMPATIBLE_VERSIONS: '[1]' }, /^variable INFRA_COMPATIBLE_VERSIONS/],
    [{}, { KEEP_RUNS_DAYS: '0' }, /^variable KEEP_RUNS_DAYS/],
    [{}, { TLS_CERT_B64: 'bm8=' }, /^variable TLS_CERT_B64/],
    [
      {},
      { DEFAULT_HUB_NAME: 'Ours' },
      /^variable DEFAULT_HUB_NAME: the default hub is the one in this package/,
    ],
    [{}, { DEFAULTHUBGITURL: 'https://git.corp.example/hub' }, /^variable DEFAULTHUBGITURL: [^/]*$/],
    [{}, { DEFAULT_HUB_IS_PRIVATE: 'true' }, /^variable DEFAULT_HUB_IS_PRIVATE/],
    [{}, { DEFAULT_HUB_TOKEN: 'secret' }, /^variable DEFAULT_HUB_TOKEN: (?!.*secret)/],
  ];
  for (const [options, env, message] of refused) {
    test(`refused: ${JSON.stringify(options)} ${JSON.stringify(env)}`, () => {
      assert.throws(() => compileServerOptions(options, { ...HOME, ...env }), {
        name: 'UsageError',
        message,
      });
    });
  }
});
