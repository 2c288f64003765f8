import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { generateSshKey } from '../ssh-key.ts';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';

/** A real ssh server of this user with one repository, which has one commit with `faults/k/a/fault.yaml`. */
export interface SshServer extends AsyncDisposable {
  readonly url: string;
  /** That it lets in. */
  readonly privateKey: string;
  /** Ends it and starts it again with another key of its host, on the same port. */
  changeHostKey(): Promise<void>;
}

/** Why there is no such server on this machine; undefined where there can be one. */
export async function sshMissing(): Promise<string | undefined> {
  if (/(?:nologin|false)$/.test(userInfo().shell ?? '')) return 'this user may not sign in';
  try {
    await access(SSHD);
    await run('ssh', ['-V']);
    return undefined;
  } catch {
    return 'sshd or ssh is not installed';
  }
}

/** Starts a server on a free port of the loopback. */
export async function startSshServer(): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-ssh-'));
  const repository = join(folder, 'hub.git');
  await makeRepository(folder, repository);
  const { publicKey, privateKey } = await generateSshKey();
  await writeFile(join(folder, 'authorized_keys'), publicKey, { mode: 0o600 });
  const [port = 0] = await freePorts(1);
  // What sshd looks for as root, to separate its privileges.
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const start = async (): Promise<() => Promise<void>> => {
    const hostKey = join(folder, 'host_key');
    await rm(hostKey, { force: true });
    await rm(`${hostKey}.pub`, { force: true });
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
    const options = [
      `Port=${port}`,
      'ListenAddress=127.0.0.1',
      `HostKey=${hostKey}`,
      `AuthorizedKeysFile=${join(folder, 'authorized_keys')}`,
      'StrictModes=no',
      'PasswordAuthentication=no',
      'UsePAM=no',
      'PidFile=none',
      'PermitRootLogin=yes',
    ];
    const child = spawn(
      SSHD,
      ['-D', '-e', '-f', '/dev/null', ...options.flatMap((option) => ['-o', option])],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    await untilListening(child.stderr);
    return async () => {
      child.kill();
      await once(child, 'exit');
    };
  };
  let stop = await start();
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    privateKey,
    changeHostKey: async () => {
      await stop();
      stop = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(stream: Readable): Promise<void> {
  let said = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    if (!said.includes('Server listening')) continue;
    stream.resume();
    return;
  }
  throw new Error(`sshd has ended: ${said}`);
}

async function makeRepository(folder: string, repository: string): Promise<void> {
  const work = join(folder, 'work');
  await mkdir(join(work, 'faults', 'k', 'a'), { recursive: true });
  await writeFile(join(work, 'faults', 'k', 'a', 'fault.yaml'), 'one');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example'];
  await run('git', ['init', '--quiet', '--initial-branch=main', work]);
  await run('git', ['-C', work, 'add', '--all']);
  await run('git', ['-C', work, ...identity, 'commit', '--quiet', '--message', 'first']);
  await run('git', ['clone', '--quiet', '--bare', work, repository]);
  await chmod(folder, 0o755);
}
