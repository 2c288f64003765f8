import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import {
  type ExperimentCluster,
  shareExperimentCluster,
} from '../../../../test/support/experiment-cluster.ts';
import { CHAOS_RESULTS, type ChaosResult } from '../../../api/index.ts';
import { ResultWriter } from './result-writer.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});
/** A writer whose requests are counted and may be made to fail. */
async function prepare(fail: (request: number) => Error | undefined = () => undefined) {
  const namespace = await cluster.namespace();
  const requests: string[] = [];
  const counted = new Proxy(cluster.client, {
    get: (target, name: keyof KubeClient) => {
      if (name !== 'patch' && name !== 'create') return target[name].bind(target);
      return (...args: unknown[]) => {
        requests.push(name);
        const error = fail(requests.length);
        if (error !== undefined) return Promise.reject(error);
        // The same arguments go on to the method they were meant for.
        return (target[name] as (...rest: unknown[]) => Promise<unknown>).apply(target, args);
      };
    },
  });
  const clock = new FakeClock();
  const writer = new ResultWriter({ client: counted, namespace, name: 'r', clock });
  return { namespace, requests, clock, writer, stored: () => cluster.result(namespace, 'r') };
}

const phase = (word: string) => ({ status: { experimentStatus: { phase: word, verdict: 'Awaited' } } });

test('the first write creates, the next ones patch only what they name', async () => {
  const { writer, requests, stored, namespace } = await prepare();
  assert.equal(await writer.read(), undefined);
  await writer.write({ spec: { experiment: 'x' }, ...phase('Running') });
  await cluster.client.patch(
    CHAOS_RESULTS,
    'r',
    'merge',
    { status: { ledger: { other: { id: 'other' } } } },
    { namespace },
  );
  await writer.write({ status: { ledger: { own: { id: 'own' } } } });
  assert.deepEqual(requests, ['create', 'patch']);
  assert.deepEqual(Object.keys((await stored()).status?.ledger ?? {}), ['other', 'own']);
  assert.deepEqual(Object.keys(writer.current?.status?.ledger ?? {}), ['other', 'own']);
});

test('what is asked for while a request is under way goes out as one', async () => {
  const { writer, requests, stored } = await prepare();
  await writer.write(phase('Running'));
  const writes = ['a', 'b', 'c', 'd'].map((id) => writer.write({ status: { ledger: { [id]: { id } } } }));
  await Promise.all(writes);
  await writer.flush();
  assert.ok(requests.length <= 3, requests.join());
  assert.deepEqual(Object.keys((await stored()).status?.ledger ?? {}), ['a', 'b', 'c', 'd']);
});

test('a result that another client created meanwhile is patched', async () => {
  const { writer, namespace, stored } = await prepare();
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    { metadata: { name: 'r', labels: { a: 'b' } } },
    { namespace },
  );
  await writer.write(phase('Running'));
  const { metadata, status } = await stored();
  assert.deepEqual([metadata.labels, status?.experimentStatus?.phase], [{ a: 'b' }, 'Running']);
});

test('a lost connection or a busy server is tried again, a refusal is not', async () => {
  const passing = [new ConnectionError('PATCH', 'reset'), new ApiError('PATCH', 503, {}), undefined];
  const one = await prepare((request) => passing[request - 1]);
  const done = one.writer.write(phase('Running'));
  await one.clock.untilPending(1);
  await one.clock.advance(1_000);
  await done;
  assert.equal(one.requests.length, 3);

  const refused = await prepare(() => new ApiError('POST', 403, { reason: 'Forbidden' }));
  await assert.rejects(refused.writer.write(phase('Running')), {
    code: 'CHAOS_RESULT_CRUD_ERROR',
    message:
      /^cannot write ChaosResult .*\/r; check that the CRD is installed and what the service account may do/,
  });
  assert.equal(refused.requests.length, 1);
});

test('a server that stays away is given up after a while', async () => {
  const { writer, clock } = await prepare(() => new ConnectionError('PATCH', 'refused'));
  const done = writer.write(phase('Running'));
  done.catch(() => {});
  for (let turn = 0; turn < 80; turn++) await clock.advance(1_000);
  await assert.rejects(done, { code: 'CHAOS_RESULT_CRUD_ERROR' });
});

test('with the status as a subresource everything is stored too', async () => {
  const namespace = await cluster.namespace();
  const name = 'chaosresults.litmuschaos.io';
  const crd = await cluster.client.get<Definition>(CUSTOM_RESOURCE_DEFINITIONS, name);
  const versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
  await cluster.client.patch(CUSTOM_RESOURCE_DEFINITIONS, name, 'merge', { spec: { versions } });
  // A client asks once which of both it is.
  const client = createClient(cluster.config);
  try {
    const writer = new ResultWriter({ client, clock: new FakeClock(), namespace, name: 'r' });
    await writer.write({ metadata: { labels: { a: 'b' } }, ...phase('Running') });
    await writer.write({ metadata: { labels: { c: 'd' } }, ...phase('Completed') });
    const { metadata, status } = await cluster.result(namespace, 'r');
    assert.deepEqual(metadata.labels, { a: 'b', c: 'd' });
    assert.equal(status?.experimentStatus?.phase, 'Completed');
    await addWords(client, namespace);
    assert.deepEqual(await words(namespace), ['a', 'b', 'c', 'd']);
  } finally {
    client.close();
    await cluster.client.patch(CUSTOM_RESOURCE_DEFINITIONS, name, 'merge', {
      spec: { versions: crd.spec.versions },
    });
  }
});

/** The part of a definition that says what is a subresource. */
type Definition = KubeObject & { spec: { versions: { subresources?: object }[] } };

/** Four writers add their word to one list at the same time. */
async function addWords(client: KubeClient, namespace: string): Promise<void> {
  const add = (word: string): Promise<void> => {
    const writer = new ResultWriter({ client, clock: fastClock(), namespace, name: 'r' });
    return writer.revise(({ status }) => {
      const before = status?.experimentStatus?.errorOutput?.reason;
      const reason = before === undefined ? word : `${before} ${word}`;
      return { experimentStatus: { errorOutput: { errorCode: 'X', reason } } };
    });
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(add));
}

async function words(namespace: string): Promise<readonly string[]> {
  const { status } = await cluster.result(namespace, 'r');
  return status?.experimentStatus?.errorOutput?.reason?.split(' ').toSorted() ?? [];
}

test('a change of what others write too is made anew when somebody wrote in between', async () => {
  const { namespace, writer } = await prepare();
  await writer.write(phase('Running'));
  await addWords(cluster.client, namespace);
  assert.deepEqual(await words(namespace), ['a', 'b', 'c', 'd']);
});

test('a change that is none, or of a result that is gone, writes nothing', async () => {
  const { writer, requests } = await prepare();
  await writer.revise(() => ({ experimentStatus: { phase: 'Running' } }));
  assert.deepEqual(requests, []);
  await writer.write(phase('Running'));
  await writer.revise(() => undefined);
  assert.deepEqual(requests, ['create']);
});
