import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Credentials } from './credentials.ts';
import { gitEnvironment } from './git-environment.ts';
import { parseRepositoryUrl } from './repository-url.ts';

function environment(url: string, credentials: Credentials, address = '192.0.2.1') {
  return gitEnvironment({
    repository: parseRepositoryUrl(url),
    address: { address, family: address.includes(':') ? 6 : 4 },
    credentials,
    home: '/h',
    keyFile: "/k'e y",
    knownHosts: '/known',
    machine: { PATH: '/bin', HTTPS_PROXY: 'http://proxy', GIT_DIR: '/elsewhere', SSL_CERT_FILE: '/ca' },
  });
}

/** Settings of git that an environment makes. */
function settings(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const numbers = Array.from({ length: Number(env.GIT_CONFIG_COUNT) }, (_, index) => index);
  return Object.fromEntries(
    numbers.map((index) => [env[`GIT_CONFIG_KEY_${index}`] ?? '', env[`GIT_CONFIG_VALUE_${index}`]]),
  );
}

const PASSWORD = { kind: 'password', user: 'u', password: 'p' } as const;

test('of this process git has its path and whom TLS trusts, but no proxy and no repository', () => {
  const env = environment('https://git.example/r', { kind: 'none' });
  assert.deepEqual(
    [env.PATH, env.SSL_CERT_FILE, env.HTTPS_PROXY, env.GIT_DIR],
    ['/bin', '/ca', undefined, undefined],
  );
});

test('git connects to the address that was checked', () => {
  const http = settings(environment('https://git.example:8443/r', PASSWORD));
  assert.equal(http['http.curloptResolve'], 'git.example:8443:192.0.2.1');
  const six = settings(environment('https://git.example/r', PASSWORD, '2001:db8::1'));
  assert.equal(six['http.curloptResolve'], 'git.example:443:[2001:db8::1]');
  const ssh = environment('git@git.example:r', { kind: 'ssh', privateKey: 'k' }).GIT_SSH_COMMAND ?? '';
  assert.match(ssh, /HostName=192\.0\.2\.1 -o HostKeyAlias=git\.example/);
});

test('a password goes to the repository’s own server only', () => {
  const found = settings(environment('https://git.example/r', PASSWORD));
  assert.equal(found['http.https://git.example.extraHeader'], 'Authorization: Basic dTpw');
  assert.equal(found['http.followRedirects'], 'false');
  assert.ok(!JSON.stringify(settings(environment('ssh://git.example/r', PASSWORD))).includes('dTpw'));
});

test('a key is a file, and host keys are kept when they are first seen', () => {
  const ssh = environment('ssh://git.example:2222/r', { kind: 'ssh', privateKey: 'secret' });
  assert.match(ssh.GIT_SSH_COMMAND ?? '', /'IdentityFile=\/k'\\''e y'/);
  assert.match(ssh.GIT_SSH_COMMAND ?? '', /accept-new.*UserKnownHostsFile=\/known.*\[git\.example\]:2222/);
  assert.ok(!JSON.stringify(ssh).includes('secret'));
});
