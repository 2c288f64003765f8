import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake-clock.ts';
import { loadInClusterConfig } from './in-cluster.ts';
import { kubeconfigPaths, loadKubeconfig } from './kubeconfig.ts';
import { loadConfig } from './load-config.ts';
import { createTokenFile } from './token-file.ts';

/** A folder with files, removed at the end. */
async function folderWith(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'turnsole-config-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), text, { mode: 0o700 });
  }
  return {
    path: (name: string): string => join(root, name),
    write: (name: string, text: string): Promise<void> => writeFile(join(root, name), text),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const FULL = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: one, user: jane, namespace: shop}}
- {name: plain, context: {cluster: two}}
clusters:
- name: one
  cluster:
    server: https://one.example:6443
    certificate-authority-data: ${base64(CERTIFICATE)}
    tls-server-name: inner.example
- name: two
  cluster: {server: "http://127.0.0.1:8080", insecure-skip-tls-verify: true}
users:
- name: jane
  user:
    client-certificate: certs/jane.crt
    client-key-data: ${base64(KEY)}
    token: secret
    as: root
    as-groups: [admins]
`;

test('a kubeconfig gives server, trust, credentials and namespace of its current context', async () => {
  await using folder = await folderWith({ config: FULL, 'certs/jane.crt': CERTIFICATE });
  const { token, ...config } = await loadKubeconfig({ path: folder.path('config') });
  assert.deepEqual(config, {
    server: 'https://one.example:6443',
    certificateAuthority: CERTIFICATE,
    tlsServerName: 'inner.example',
    clientCertificate: CERTIFICATE,
    clientKey: KEY,
    impersonate: { user: 'root', groups: ['admins'] },
    namespace: 'shop',
  });
  assert.equal(await token?.(), 'secret');
  assert.deepEqual(await loadKubeconfig({ path: folder.path('config'), context: 'plain' }), {
    server: 'http://127.0.0.1:8080',
    insecureSkipTlsVerify: true,
    namespace: 'default',
  });
});

test('which files count: the flag, KUBECONFIG, the home', () => {
  const env = { KUBECONFIG: `/a${delimiter}${delimiter}/b`, HOME: '/home/jane' };
  assert.deepEqual(kubeconfigPaths('/flag', env), ['/flag']);
  assert.deepEqual(kubeconfigPaths(undefined, env), ['/a', '/b']);
  assert.deepEqual(kubeconfigPaths('', { HOME: '/home/jane' }), [join('/home/jane', '.kube', 'config')]);
});

test('of several files the first that defines a thing wins, and each counts paths from its own folder', async () => {
  await using folder = await folderWith({
    'a/config': `
clusters: [{name: c, cluster: {server: "https://from-a"}}]
users: [{name: u, user: {tokenFile: token}}]`,
    'a/token': 'of a\n',
    'b/config': `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://from-b"}}]
users: [{name: u, user: {token: of b}}]`,
    'c/config': 'current-context: other',
  });
  const files = ['a/config', 'missing', 'b/config', 'c/config'].map((name) => folder.path(name));
  const config = await loadKubeconfig({ env: { KUBECONFIG: files.join(delimiter) } });
  assert.equal(config.server, 'https://from-a');
  assert.equal(await config.token?.(), 'of a');
});

test('a token file is read again each minute and after a refusal; a missing one does not lose the last token', async () => {
  await using folder = await folderWith({
    config: FULL.replace('token: secret', 'tokenFile: token'),
    'certs/jane.crt': CERTIFICATE,
    token: 'first\n',
  });
  const clock = new FakeClock();
  const config = await loadKubeconfig({ path: folder.path('config'), clock });
  const { signal } = new AbortController();
  await folder.write('token', 'second');
  assert.equal(await config.token?.(), 'first');
  await config.refreshCredentials?.(signal);
  assert.equal(await config.token?.(), 'second');
  await rm(folder.path('token'));
  await clock.advance(60_000);
  assert.equal(await config.token?.(), 'second');
  await folder.write('token', 'third');
  assert.equal(await config.token?.(), 'second');
  await clock.advance(60_000);
  assert.equal(await config.token?.(), 'third');
});

test('after a refusal, as on a machine that has slept, the successor of a mounted token is waited for', async () => {
  await using folder = await folderWith({ token: 'first' });
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const mounted = createTokenFile(folder.path('token'), 'token', clock, 15_000);
  const refreshed = Promise.resolve(mounted.refreshCredentials(signal));
  await clock.advance(5_000);
  assert.equal(await mounted.token(), 'first');
  await folder.write('token', 'second');
  await clock.advance(1_000);
  await refreshed;
  assert.equal(await mounted.token(), 'second');
  const missed = Promise.resolve(mounted.refreshCredentials(signal));
  await clock.advance(15_000);
  await missed;
  assert.equal(clock.pending, 0);
  await mounted.refreshCredentials(signal);
  assert.equal(clock.pending, 0, 'a token that was waited for in vain is not waited for again');
  await clock.advance(60_000);
  const later = Promise.resolve(mounted.refreshCredentials(signal));
  assert.equal(clock.pending, 1, 'but later, when it may have slept again');
  await clock.advance(15_000);
  await later;
});

const broken: readonly { name: string; text: string; context?: string; says: RegExp }[] = [
  { name: 'no YAML', text: 'a: [1', says: /config: it is no valid YAML: .*; correct it$/s },
  { name: 'not a mapping', text: '- 1', says: /config: \(root\): a mapping is expected, a list was found$/ },
  {
    name: 'no current context',
    text: FULL.replace('current-context: dev', ''),
    says: /config: current-context: none is set; choose one of dev, plain with --context$/,
  },
  {
    name: 'an unknown context',
    text: FULL,
    context: 'prod',
    says: /config: contexts: there is no context "prod"; choose one of dev, plain$/,
  },
  {
    name: 'a context without its cluster',
    text: FULL.replace('cluster: one, user', 'cluster: three, user'),
    says: /config: contexts\[dev\]\.context\.cluster: there is no cluster "three"; name one of one, two$/,
  },
  {
    name: 'a context without its user',
    text: FULL.replace('user: jane, ', 'user: joe, '),
    says: /config: contexts\[dev\]\.context\.user: there is no user "joe"; name one of jane$/,
  },
  {
    name: 'an address of another protocol',
    text: FULL.replace('https://one', 'ftp://one'),
    says: /config: clusters\[one\]\.cluster\.server: "ftp:\/\/one\.example:6443" is no https:\/\/ or http:\/\/ address$/,
  },
  {
    name: 'a proxy',
    text: FULL.replace('tls-server-name', 'proxy-url: "http://p"\n    tls-server-name'),
    says: /clusters\[one\]\.cluster\.proxy-url: connecting through a proxy is not supported; use a server address reached directly$/,
  },
  {
    name: 'a certificate that is no base64 of PEM',
    text: FULL.replace(base64(CERTIFICATE), base64('hello')),
    says: /clusters\[one\]\.cluster\.certificate-authority-data: it is no base64 of a PEM text; encode the file with `base64 -w0`$/,
  },
  {
    name: 'a certificate file that is missing',
    text: FULL.replace('jane.crt', 'joe.crt'),
    says: /users\[jane\]\.user\.client-certificate: the file .*joe\.crt cannot be read \(ENOENT.*\); correct the path or its permissions$/,
  },
  {
    name: 'a certificate without its key',
    text: FULL.replace(/ {4}client-key-data.*\n/, ''),
    says: /users\[jane\]\.user\.client-key: certificate and key are needed together; add it \(or its -data form\)$/,
  },
  {
    name: 'a token that YAML takes for a number',
    text: FULL.replace('token: secret', 'token: 12345'),
    says: /users\[jane\]\.user\.token: a text is expected, 12345 was found; put it in quotes$/,
  },
  {
    name: 'basic authentication',
    text: FULL.replace('token: secret', 'username: jane'),
    says: /users\[jane\]\.user\.username: basic authentication was removed from Kubernetes; use a token or a certificate$/,
  },
  {
    name: 'an auth provider',
    text: FULL.replace('token: secret', 'auth-provider: {name: gcp}'),
    says: /users\[jane\]\.user\.auth-provider: auth providers were removed/,
  },
  {
    name: 'an impersonated group that is no text',
    text: FULL.replace('[admins]', '[admins, 7]'),
    says: /users\[jane\]\.user\.as-groups\[1\]: a text is expected; put it in quotes$/,
  },
  {
    name: 'impersonated groups without a user',
    text: FULL.replace('as: root', ''),
    says: /users\[jane\]\.user\.as-groups: groups need a user; set the field as, too$/,
  },
  {
    name: 'an impersonated uid',
    text: FULL.replace('as-groups: [admins]', 'as-uid: "7"'),
    says: /users\[jane\]\.user\.as-uid: it is not supported, and without it requests would have other rights; remove it$/,
  },
  {
    name: 'impersonated extra fields',
    text: FULL.replace('as-groups: [admins]', 'as-user-extra: {scopes: [view]}'),
    says: /users\[jane\]\.user\.as-user-extra: it is not supported/,
  },
  {
    name: 'a list that is none',
    text: FULL.replace(/users:[\s\S]*/, 'users: jane'),
    says: /config: users: a list is expected, "jane" was found$/,
  },
  {
    name: 'an entry without name',
    text: FULL.replace('- name: jane\n  user', '- user'),
    says: /config: users\[0\]\.name: a name is expected; add it$/,
  },
];

for (const { name, text, context, says } of broken) {
  test(`refuses a kubeconfig: ${name}`, async () => {
    await using folder = await folderWith({ config: text, 'certs/jane.crt': CERTIFICATE });
    await assert.rejects(loadKubeconfig({ path: folder.path('config'), context }), (error: Error) => {
      assert.equal(error.name, 'ClusterConfigError');
      assert.ok(error.message.startsWith(`cannot use ${folder.path('config')}`), error.message);
      assert.match(error.message, says);
      return true;
    });
  });
}

test('a missing kubeconfig is an error with its path', async () => {
  await using folder = await folderWith({});
  await assert.rejects(
    loadKubeconfig({ path: folder.path('nowhere') }),
    /nowhere: it cannot be read \(ENOENT.*\); name a readable kubeconfig/,
  );
  const env = { KUBECONFIG: `${folder.path('x')}${delimiter}${folder.path('y')}` };
  await assert.rejects(
    loadKubeconfig({ env }),
    /x, .*y: no such file; name a kubeconfig with --kubeconfig or KUBECONFIG/,
  );
});

const SERVICE_ACCOUNT = 'var/run/secrets/kubernetes.io/serviceaccount';

test('in a pod the service account counts, below TURNSOLE_POD_ROOT where that is set', async () => {
  await using folder = await folderWith({
    [`${SERVICE_ACCOUNT}/token`]: 'mine',
    [`${SERVICE_ACCOUNT}/ca.crt`]: CERTIFICATE,
    [`${SERVICE_ACCOUNT}/namespace`]: 'tools\n',
  });
  const env = {
    KUBERNETES_SERVICE_HOST: 'fd00::1',
    KUBERNETES_SERVICE_PORT: '6443',
    TURNSOLE_POD_ROOT: folder.path(''),
  };
  const config = await loadConfig({ env });
  assert.equal(config.server, 'https://[fd00::1]:6443');
  assert.equal(config.namespace, 'tools');
  assert.equal(config.certificateAuthority, CERTIFICATE);
  assert.equal(await config.token?.(), 'mine');
  await rm(folder.path(`${SERVICE_ACCOUNT}/namespace`));
  await assert.rejects(
    loadInClusterConfig(env),
    /namespace: it cannot be read \(ENOENT.*\); set automountServiceAccountToken/,
  );
});

test('a flag wins over the pod, the pod over the kubeconfig', async () => {
  await using folder = await folderWith({ config: FULL, 'certs/jane.crt': CERTIFICATE });
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBECONFIG: folder.path('config') };
  assert.equal(
    (await loadConfig({ kubeconfig: folder.path('config'), env })).server,
    'https://one.example:6443',
  );
  assert.equal((await loadConfig({ context: 'plain', env })).server, 'http://127.0.0.1:8080');
  await assert.rejects(loadConfig({ env: { ...env, TURNSOLE_POD_ROOT: folder.path('') } }), /serviceaccount/);
  const { KUBECONFIG } = env;
  assert.equal((await loadConfig({ env: { KUBECONFIG } })).server, 'https://one.example:6443');
  await assert.rejects(
    loadInClusterConfig({}),
    /KUBERNETES_SERVICE_HOST: it is not set, so this is no pod; give --kubeconfig/,
  );
});

/** A kubeconfig whose user runs a shell script that counts its runs and shows what it was given. */
function execConfig(options: { apiVersion?: string; command?: string; more?: string } = {}): string {
  return `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://api", certificate-authority-data: ${base64(CERTIFICATE)}}}]
users:
- name: u
  user:
    exec:
      apiVersion: ${options.apiVersion ?? 'client.authentication.k8s.io/v1'}
      command: ${options.command ?? './plugin'}
      args: [get, token]
      env: [{name: FLAVOUR, value: sweet}]
      interactiveMode: Never
      ${options.more ?? ''}
`;
}

const credential = (status: string, apiVersion = 'client.authentication.k8s.io/v1'): string =>
  `{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":${status}}`;

test('an exec plugin gives tokens, is run once for many requests, again when they expire and after a refusal', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using folder = await folderWith({
    config: execConfig({ more: 'provideClusterInfo: true' }),
    plugin: `#!/bin/sh
echo run >> "$(dirname "$0")/runs"
printf '%s' "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"
runs=$(wc -l < "$(dirname "$0")/runs" | tr -d ' ')
echo '${credential(`{"token":"'"$1-$2-$FLAVOUR-$runs"'","expirationTimestamp":"2030-01-01T01:00:00Z"}`)}'
`,
  });
  const config = await loadKubeconfig({
    path: folder.path('config'),
    env: { PATH: process.env.PATH },
    clock,
  });
  const token = async (): Promise<string | undefined> => config.token?.();
  assert.deepEqual(await Promise.all([token(), token()]), ['get-token-sweet-1', 'get-token-sweet-1']);
  await clock.advance(3_589_000);
  assert.equal(await token(), 'get-token-sweet-1');
  await clock.advance(1_000);
  assert.equal(await token(), 'get-token-sweet-2');
  const { signal } = new AbortController();
  await config.refreshCredentials?.(signal);
  assert.equal(await token(), 'get-token-sweet-3');
  const refusedTogether = [1, 2, 3].map(() => {
    void config.refreshCredentials?.(signal);
    return token();
  });
  assert.deepEqual(new Set(await Promise.all(refusedTogether)), new Set(['get-token-sweet-4']));
  const { readFile } = await import('node:fs/promises');
  assert.deepEqual(JSON.parse(await readFile(folder.path('info'), 'utf8')), {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      cluster: { server: 'https://api', 'certificate-authority-data': base64(CERTIFICATE) },
    },
  });
});

test('an exec plugin may give a certificate; v1beta1 is understood', async () => {
  const apiVersion = 'client.authentication.k8s.io/v1beta1';
  const status = JSON.stringify({ clientCertificateData: CERTIFICATE, clientKeyData: KEY });
  await using folder = await folderWith({
    config: execConfig({ apiVersion }),
    'answer.json': credential(status, apiVersion),
    plugin: '#!/bin/sh\ncat "$(dirname "$0")/answer.json"\n',
  });
  const config = await loadKubeconfig({ path: folder.path('config') });
  assert.deepEqual(await config.clientIdentity?.(), { certificate: CERTIFICATE, key: KEY });
  assert.equal(await config.token?.(), '');
});

const brokenPlugins: readonly { name: string; config: string; plugin: string; says: RegExp }[] = [
  {
    name: 'that is not installed',
    config: execConfig({ command: 'no-such-plugin', more: 'installHint: see https://example' }),
    plugin: '',
    says: /exec\.command: the credential plugin no-such-plugin was not found; install it or correct PATH; see https:\/\/example$/,
  },
  {
    name: 'that fails',
    config: execConfig(),
    plugin: '#!/bin/sh\necho "please log in" >&2\nexit 3\n',
    says: /the credential plugin .*plugin failed \(.*\): please log in; run it by hand to see why$/,
  },
  {
    name: 'that answers with something else',
    config: execConfig(),
    plugin: '#!/bin/sh\necho hello\n',
    says: /plugin did not answer in JSON; its output must be an ExecCredential$/,
  },
  {
    name: 'that answers in another version',
    config: execConfig(),
    plugin: `#!/bin/sh\necho '${credential('{"token":"x"}', 'client.authentication.k8s.io/v1beta1')}'\n`,
    says: /answered with client\.authentication\.k8s\.io\/v1beta1 ExecCredential; client\.authentication\.k8s\.io\/v1 ExecCredential is expected$/,
  },
  {
    name: 'that gives nothing',
    config: execConfig(),
    plugin: `#!/bin/sh\necho '${credential('{}')}'\n`,
    says: /answered with neither status\.token nor status\.clientCertificateData and clientKeyData$/,
  },
  {
    name: 'of an unknown version',
    config: execConfig({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    plugin: '',
    says: /exec\.apiVersion: client\.authentication\.k8s\.io\/v1alpha1 is not supported; use client\.authentication\.k8s\.io\/v1 or /,
  },
];

for (const { name, config, plugin, says } of brokenPlugins) {
  test(`an exec plugin ${name} is an error that says so`, async () => {
    await using folder = await folderWith({ config, plugin });
    await assert.rejects(
      async () =>
        (await loadKubeconfig({ path: folder.path('config'), env: { PATH: process.env.PATH } })).token?.(),
      (error: Error) => {
        assert.equal(error.name, 'ClusterConfigError');
        assert.match(error.message, says);
        return true;
      },
    );
  });
}
