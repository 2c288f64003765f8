/** DNS faults: measured by programs in the pod that look names up, while they last and afterwards. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { firstProcessOf } from '../support/first-process.ts';
import { Asker } from './support/asker.ts';
import { namesFor } from './support/cluster-names.ts';
import { effectsImpossible, FaultCluster, type FaultRun } from './support/fault-cluster.ts';
import { interceptorsOf } from './support/interceptors.ts';

const run = promisify(execFile);
const LONG = 'kubernetes.default.svc.cluster.local';

/** A name that no fault here is about. */
const OTHER = `
apiVersion: v1
kind: Service
metadata: { name: other }
spec: { selector: { app: other }, ports: [{ port: 80 }] }
`;

/** Looks names up in the pod with Node: `lookup` by the C library, the others by Node's own resolver. */
const LOOK = `
  const dns = require('dns').promises;
  const [names, server] = [JSON.parse(process.argv[1]), require('dns').getServers()[0]];
  const one = async (f) => { try { return await f(); } catch (error) { return error.code; } };
  (async () => {
    const found = {};
    for (const name of names) found[name] = [await one(async () => (await dns.lookup(name, 4)).address), String(await one(() => dns.resolve4(name)))];
    console.log(JSON.stringify({ found, server }));
  })();`;

interface Seen {
  /** By name: what the C library and what Node's resolver say. */
  readonly found: Readonly<Record<string, readonly [string, string]>>;
  readonly server: string;
}

/** Runs a program of this machine in the pod's network. */
async function inside(pod: Pod, command: readonly string[]): Promise<string> {
  return (await run('nsenter', ['-t', String(await firstProcessOf(pod)), '-n', '--', ...command])).stdout;
}

/** Runs Node in the pod, with the files by which names are looked up there. */
async function look(pod: Pod, ...names: string[]): Promise<Seen> {
  const pid = await firstProcessOf(pod);
  // Images that are machines' own files have the Node that runs this.
  const node = existsSync(`/proc/${pid}/root${process.execPath}`) ? process.execPath : '/usr/local/bin/node';
  const command = ['-t', String(pid), '-n', '-m', '--', node, '-e', LOOK, JSON.stringify(names)];
  return JSON.parse((await run('nsenter', command)).stdout) as Seen;
}

/** Resolves when names in the pod have the answers that are wanted; what they have until then does not matter. */
async function looksLike(
  pod: Pod,
  wanted: Readonly<Record<string, string>>,
  limitMs = PATIENCE_MS,
): Promise<void> {
  let seen: Seen['found'] = {};
  for (const until = performance.now() + limitMs; performance.now() < until; ) {
    seen = (await look(pod, ...Object.keys(wanted))).found;
    if (Object.entries(wanted).every(([name, answer]) => seen[name]?.[0] === answer)) return;
  }
  assert.fail(`after ${limitMs} ms: ${JSON.stringify(seen)}`);
}

describe('DNS faults', { skip: effectsImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  async function begin(fault: string, env: Readonly<Record<string, string>>) {
    const namespace = await cluster.namespace();
    await cluster.apply(namespace, OTHER);
    const pod = await cluster.pod(namespace, 'asks', {}, await namesFor(cluster, namespace));
    const before = await look(pod, LONG, 'kubernetes.default.svc', 'fake.example', 'other');
    assert.match(before.found.other?.[0] ?? '', /^\d+\./);
    const chaos = await cluster.run(fault, {
      namespace,
      pods: ['asks'],
      env: { TOTAL_CHAOS_DURATION: '60', ...env },
    });
    await chaos.injected();
    return { namespace, pod, before, chaos };
  }

  /** Ends it; then every name must be as before, and no rule left. */
  async function end(pod: Pod, before: Seen, chaos: FaultRun): Promise<void> {
    await chaos.abort();
    const { status } = await chaos.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped', JSON.stringify(status));
    assert.deepEqual(await look(pod, ...Object.keys(before.found)), before);
    assert.equal(await inside(pod, ['nft', 'list', 'tables']), '');
  }

  test('errors: the names, with and without search domains, over UDP and TCP, and no others', async () => {
    const { pod, before, chaos } = await begin('pod-dns-error', {
      TARGET_HOSTNAMES: '["kubernetes.default"]',
    });
    const address = before.found[LONG]?.[0] ?? '';
    assert.match(address, /^\d+\./);
    const { found } = await look(pod, 'kubernetes.default', LONG);
    assert.equal(found['kubernetes.default']?.[0], 'ENOTFOUND');
    // Other than the user's name with a search domain: `kubernetes.default` + `svc.cluster.local` is that.
    assert.equal(found[LONG]?.[0], 'ENOTFOUND');
    const tcp = await inside(pod, ['dig', `@${before.server}`, '+tcp', '+tries=1', '+time=3', LONG]);
    assert.match(tcp, /status: NXDOMAIN/);
    assert.deepEqual((await look(pod, 'other')).found.other, before.found.other);
    await end(pod, before, chaos);
  });

  test('errors by a part of the name, and for all names', async () => {
    const part = await begin('pod-dns-error', {
      TARGET_HOSTNAMES: '["bernet"]',
      MATCH_SCHEME: 'substring',
    });
    assert.equal((await look(part.pod, LONG)).found[LONG]?.[1], 'ENOTFOUND');
    await end(part.pod, part.before, part.chaos);
  });

  test('spoofs: names and addresses under the name that was asked for, over UDP and TCP, and no others', async () => {
    const { pod, before, chaos } = await begin('pod-dns-spoof', {
      SPOOF_MAP: '{"fake.example":"kubernetes.default","addr.example":"10.1.2.3","six.example":"fd00::9"}',
    });
    const address = before.found[LONG]?.[0] ?? '';
    const { found } = await look(pod, 'fake.example', 'addr.example', LONG);
    assert.deepEqual(found['fake.example'], [address, address]);
    assert.deepEqual(found['addr.example'], ['10.1.2.3', '10.1.2.3']);
    assert.deepEqual(found[LONG], before.found[LONG]);
    assert.deepEqual((await look(pod, 'other')).found.other, before.found.other);
    const at = `@${before.server}`;
    const tcp = await inside(pod, ['dig', at, '+tcp', '+short', '+time=3', 'fake.example']);
    assert.equal(tcp.trim(), address);
    assert.equal((await inside(pod, ['dig', at, '+short', 'six.example', 'AAAA'])).trim(), 'fd00::9');
    assert.equal((await inside(pod, ['dig', at, '+short', 'six.example', 'A'])).trim(), '');
    await end(pod, before, chaos);
  });

  test('a killed interceptor is replaced, and where nobody can do that the kernel lets names go to their servers', async () => {
    const leaseSeconds = 10;
    const { namespace, pod, before, chaos } = await begin('pod-dns-error', {
      TARGET_HOSTNAMES: '["kubernetes.default"]',
      TOTAL_CHAOS_DURATION: '120',
      LEASE_SECONDS: String(leaseSeconds),
    });
    await using asker = await Asker.start(pod, before.server, LONG);
    await asker.answers('NXDOMAIN');
    const [first] = await interceptorsOf(pod);
    assert.ok(first);
    process.kill(first, 'SIGKILL');
    await looksLike(pod, { [LONG]: 'ENOTFOUND', other: before.found.other?.[0] ?? '' });
    await asker.answers('NXDOMAIN');
    const [second, ...more] = await interceptorsOf(pod);
    assert.ok(second !== undefined && second !== first);
    assert.deepEqual(more, []);

    // A helper that stands still starts no other one.
    const pid = await cluster.helperProcess(namespace);
    process.kill(pid, 'SIGSTOP');
    try {
      process.kill(second, 'SIGKILL');
      await looksLike(pod, { [LONG]: before.found[LONG]?.[0] ?? '' }, (leaseSeconds + 2) * 1000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    // It goes on where it stood.
    await looksLike(pod, { [LONG]: 'ENOTFOUND' });
    await asker.answers('NXDOMAIN');
    await end(pod, before, chaos);
    await asker.answers('NOERROR');
  });
});
