import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { findProgram } from '@turnsole/kube/base/machine';
import { until } from '@turnsole/kube/testing/until';
import type { ObservedTarget } from '../../../experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../../../experiment/injection/settings/common-tunables.ts';
import { compileSettings } from '../../../experiment/injection/settings/compile-settings.ts';
import { commandKind, nodeRestart } from './node-restart.ts';
import { runBySsh, sshLine, sshProblem } from './ssh.ts';

describe('what a command does to a machine', () => {
  for (const [command, kind] of [
    ['sudo systemctl reboot; true', 'restart'],
    ['reboot -f', 'restart'],
    ['sudo shutdown -r now', 'restart'],
    ['init 6', 'restart'],
    [
      '-o ServerAliveInterval=1 -o ServerAliveCountMax=1 "sudo systemctl poweroff --force --force" ; true',
      'off',
    ],
    ['shutdown -h now', 'off'],
    ['sudo halt', 'off'],
    ['telinit 0', 'off'],
    ['./my-own-way.sh', undefined],
    ['echo rebooting', undefined],
  ] as const) {
    test(command, () => assert.equal(commandKind(command), kind));
  }
});

test('the line for the shell is upstream’s: what the user writes follows the address', () => {
  const line = sshLine({ user: 'me', address: '10.0.0.7', command: 'sudo reboot; true' }, '/k');
  assert.match(line, /^ssh -i '\/k' (-o \w+=\S+ )+me@10\.0\.0\.7 sudo reboot; true$/);
});

describe('whether a command got through', () => {
  for (const [name, exitCode, stderr, problem] of [
    ['done', 0, '', undefined],
    ['a warning of ssh', 0, "Warning: Permanently added '10.0.0.7' to the list", undefined],
    ['the machine went', 255, 'Connection to 10.0.0.7 closed by remote host.', undefined],
    ['it answers no more', 255, 'Timeout, server 10.0.0.7 not responding.', undefined],
    ['no way in, hidden by `; true`', 0, 'me@10.0.0.7: Permission denied (publickey).', /Permission denied/],
    ['no listener', 0, 'ssh: connect to host 10.0.0.7 port 22: Connection refused', /Connection refused/],
    ['no such host', 255, 'ssh: connect to host 10.0.0.7 port 22: No route to host', /No route/],
    [
      'ended by the other side before it was anybody',
      255,
      'kex_exchange_identification: Connection closed by remote host',
      /kex/,
    ],
    ['the command is not there', 127, 'bash: sudo: command not found', /not found/],
    ['the command fails without a word', 3, '', /^exit code 3$/],
  ] as const) {
    test(name, () => {
      const found = sshProblem(exitCode, stderr);
      if (problem === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', problem);
    });
  }
});

describe('plan', () => {
  const plan = (env: Record<string, string>, observed: Record<string, unknown>) => {
    const { settings, problems } = compileSettings(nodeRestart, env, Math.random);
    assert.deepEqual(problems, []);
    const target: ObservedTarget = { kind: 'node', name: 'n', node: 'n', observed };
    // The table of the fault is part of what was compiled.
    const tunables = settings.tunables as unknown as Parameters<typeof nodeRestart.plan>[0]['tunables'];
    return nodeRestart.plan({ tunables, targets: [target], round: 0, random: Math.random })[0]?.parameters;
  };
  const real = { isEmbedded: false, address: '10.0.0.7', bootId: 'a' };
  test('ssh goes to the node’s own address, unless a setting names another', () => {
    assert.equal(plan({}, real)?.address, '10.0.0.7');
    assert.equal(plan({ TARGET_NODE_IP: 'host.example' }, real)?.address, 'host.example');
    assert.throws(() => plan({}, { ...real, address: undefined }), /no InternalIP; set TARGET_NODE_IP/);
  });
  test('an embedded node is not reached by ssh, and does nothing but restart and go off', () => {
    const embedded = { ...real, isEmbedded: true };
    assert.equal(plan({}, embedded)?.kind, 'restart');
    assert.throws(
      () => plan({ REBOOT_COMMAND: 'rm -r /' }, embedded),
      /can be restarted or switched off, and nothing else/,
    );
    assert.equal(plan({ REBOOT_COMMAND: './mine.sh' }, real)?.kind, null);
  });
  test('user and address that are no words are refused: a shell reads them', () => {
    for (const env of [
      { SSH_USER: 'a;b' },
      { SSH_USER: '-oX' },
      { TARGET_NODE_IP: '$(x)' },
      { TARGET_NODE_IP: '-o' },
    ]) {
      assert.equal(compileSettings(nodeRestart, env, Math.random).problems.length, 1, JSON.stringify(env));
    }
    assert.ok('SSH_USER' in nodeRestart.tunables && !('SSH_USER' in COMMON_TUNABLES));
  });
});

const missing =
  findProgram('ssh') === undefined || !existsSync('/usr/sbin/sshd')
    ? 'there is no ssh client and server (packages openssh-client, openssh-server)'
    : process.getuid?.() !== 0
      ? 'sshd takes root here'
      : false;

describe('with a real ssh server', { skip: missing }, () => {
  const user = userInfo().username;
  let folder: string;
  let port: number;
  let server: ChildProcess;
  const path = (name: string): string => join(folder, name);
  const signal = new AbortController().signal;
  const order = (command: string) => ({ user, address: '127.0.0.1', command: `-p ${port} ${command}` });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnsole-sshd-'));
    for (const name of ['host', 'key', 'other']) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(name)]);
    }
    writeFileSync(path('authorized'), readFileSync(path('key.pub')), { mode: 0o600 });
    [port = 0] = await freePorts(1);
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${path('host')}`,
      `AuthorizedKeysFile ${path('authorized')}`,
      `PidFile ${path('pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
    ];
    writeFileSync(path('config'), `${settings.join('\n')}\n`);
    // Where servers drop their rights; made at boot where a system boots. It stays: a server of another test may use it, for each connection.
    mkdirSync('/run/sshd', { recursive: true });
    server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', path('config')], { stdio: 'ignore' });
    await untilListening(port, server);
  });
  after(async () => {
    server?.kill();
    if (server !== undefined && server.exitCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  test('the command runs there, with the key and no questions', async () => {
    await runBySsh(order(`touch ${path('done')}; true`), { timeoutMs: 20_000, signal, keyPath: path('key') });
    assert.ok(existsSync(path('done')));
  });

  test('a machine that breaks the connection off has done it', async () => {
    const kill = `'touch ${path('gone')}; kill -9 $PPID'`;
    await runBySsh(order(kill), { timeoutMs: 20_000, signal, keyPath: path('key') });
    assert.ok(existsSync(path('gone')));
  });

  test('who is not let in says so, although the line ends well', async () => {
    await assert.rejects(
      runBySsh(order(`touch ${path('never')}; true`), { timeoutMs: 20_000, signal, keyPath: path('other') }),
      /by ssh: .*Permission denied.*; check SSH_USER/s,
    );
    assert.ok(!existsSync(path('never')));
  });

  test('without the Secret nothing is tried', async () => {
    await assert.rejects(
      runBySsh(order('true'), { timeoutMs: 20_000, signal, keyPath: path('nowhere') }),
      /there is no key for ssh: Secret id-rsa with the key ssh-privatekey has to be in the namespace/,
    );
  });
});

async function untilListening(port: number, server: ChildProcess): Promise<void> {
  const isListening = async (): Promise<boolean> => {
    assert.equal(server.exitCode, null, 'the server has ended');
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  };
  await until(isListening, `nothing listens on port ${port}`);
}
