/**
 * Sessions and tags of vCenter as `vcsim` of govmomi serves them, a program of others. It is looked for in the folder that TURNSOLE_CLIENTS names, then on PATH;
 * tests are skipped with that said where it is not there. Power it has by another protocol only: vmware.test.ts.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { parseObject } from '@turnsole/kube/text/json';
import { VCenter } from '../../../src/faults/cloud/vmware/vcenter.ts';
import { ask } from '../../../src/faults/remote/ask.ts';
import { Programs } from '../../clients/suite/programs.ts';

const program = new Programs(process.env).find('vcsim');
const missing =
  program === undefined
    ? 'vcsim (Go: github.com/vmware/govmomi/vcsim) is neither in TURNSOLE_CLIENTS nor on PATH'
    : false;

const LOGIN = { user: 'chaos@vsphere.local', password: 'a-secret-that-nobody-reads' };
const { signal } = new AbortController();
const context = { clock: systemClock, random: Math.random, signal, patienceMs: 1_000, awayMs: 1_000 };

describe('vCenter as vcsim serves it', { skip: missing }, () => {
  test('machines are found by their tag, in any of several tags', async () => {
    await using simulator = await startVcsim();
    const { url } = simulator;
    const basic = `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64')}`;
    const opened = await post(url, 'com/vmware/cis/session', undefined, { authorization: basic });
    const own = { 'vmware-api-session-id': String(opened) };
    const category = await post(
      url,
      'com/vmware/cis/tagging/category',
      { create_spec: { name: 'chaos', description: '', cardinality: 'MULTIPLE', associable_types: [] } },
      own,
    );
    for (const [name, ...machines] of [
      ['other', 'vm-1'],
      ['allowed', 'vm-62', 'vm-59'],
    ] as const) {
      const made = { create_spec: { name, description: '', category_id: category } };
      const tag = await post(url, 'com/vmware/cis/tagging/tag', made, own);
      for (const id of machines) {
        const path = `com/vmware/cis/tagging/tag-association/id:${String(tag)}?~action=attach`;
        await post(url, path, { object_id: { id, type: 'VirtualMachine' } }, own);
      }
    }
    const vcenter = new VCenter({ server: url, ...LOGIN, verifyTls: false });
    assert.deepEqual(await vcenter.tagged('allowed', context), ['vm-59', 'vm-62']);
    assert.deepEqual(await vcenter.tagged('none', context), []);
  });
});

async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const answer = await ask({ url: `${url}/rest/${path}`, method: 'POST', body, headers, signal });
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return parseObject(answer.text)?.value;
}

async function startVcsim(): Promise<AsyncDisposable & { readonly url: string }> {
  const own = ['-l', '127.0.0.1:0', '-tls=false', '-username', LOGIN.user, '-password', LOGIN.password];
  const child = spawn(program ?? '', own, { stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    url: `http://127.0.0.1:${await portOf(child)}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function portOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    const port = /127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) resolve(port);
  });
  child.once('exit', () => reject(new Error(`vcsim ended: ${said}`)));
  return promise;
}
