import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { UnseenTargetsError } from '../../../experiment/injection/errors.ts';
import { isCloudError } from '../cloud-error.ts';
import { GcpApi, kindOf, nameIn, placeIn } from './gcp-api.ts';
import { labelFilter, oneZoneProblems, zoneProblems } from './tunables.ts';
import { lookAtDisk } from './vm-disk-loss.ts';
import { lookAtInstance } from './vm-instance-stop.ts';

test('an instance by its status', () => {
  const rows = {
    RUNNING: 'there',
    TERMINATED: 'taken',
    STOPPING: 'going',
    STAGING: 'coming',
    SUSPENDED: 'gone',
  };
  for (const [status, state] of Object.entries(rows)) assert.equal(lookAtInstance(status).state, state);
  assert.equal(lookAtInstance(undefined).state, 'gone');
});

test('a token that is not had: an outage is waited for, credentials that are none are told', async () => {
  const failureOf = (error: Error): Promise<unknown> => {
    const api = new GcpApi('http://127.0.0.1:1', 'p', { headersFor: () => Promise.reject(error) }, ['x']);
    const { signal } = new AbortController();
    const context = { clock: systemClock, random: Math.random, signal, patienceMs: 0, awayMs: 0 };
    return api.find({ permission: 'x', path: '' }, context).catch((failure: unknown) => failure);
  };
  for (const facts of [
    { code: 'ECONNREFUSED' },
    { status: 503 },
    { cause: Object.assign(new Error(''), { code: 'ENOTFOUND' }) },
  ]) {
    const failure = await failureOf(Object.assign(new Error('no token'), facts));
    assert.ok(isCloudError(failure, 'unavailable'), JSON.stringify(facts));
  }
  for (const facts of [{ code: 'ENOENT' }, { status: 400 }, {}]) {
    const failure = await failureOf(Object.assign(new Error('bad key'), facts));
    assert.ok(failure instanceof UnseenTargetsError, JSON.stringify(facts));
  }
});

test('a disk beside how it was', () => {
  const was = { disk: 'data', instance: 'web', deviceName: 'one' };
  const with_ = (deviceName: string) => ({ disks: [{ source: 'https://x/zones/z/disks/data', deviceName }] });
  const used = (...users: string[]) => ({
    users: users.map((user) => `https://x/zones/z/instances/${user}`),
  });
  assert.equal(lookAtDisk(used('web'), with_('one'), was).state, 'there');
  assert.equal(lookAtDisk(used('web'), with_('two'), was).state, 'gone');
  assert.equal(lookAtDisk(used(), { disks: [] }, was).state, 'taken');
  // The instance says so first.
  assert.equal(lookAtDisk(used('web'), { disks: [] }, was).state, 'going');
  assert.equal(lookAtDisk(used('db'), { disks: [] }, was).state, 'gone');
  assert.equal(lookAtDisk(used(), undefined, was).state, 'gone');
  assert.equal(lookAtDisk(undefined, { disks: [] }, was).state, 'gone');
});

test('errors by what may be done about them', () => {
  const rows = [
    [429, 'x', 'throttled'],
    [403, 'rateLimitExceeded', 'throttled'],
    [403, 'forbidden', 'denied'],
    [401, 'required', 'denied'],
    [404, 'notFound', 'gone'],
    [400, 'resourceNotReady', 'busy'],
    [412, 'conditionNotMet', 'busy'],
    [503, 'backendError', 'unavailable'],
    [400, 'invalid', 'refused'],
  ] as const;
  for (const [status, reason, kind] of rows) assert.equal(kindOf(status, reason), kind, reason);
});

test('names, places, labels and zones', () => {
  assert.equal(nameIn('https://x/zones/z/disks/data'), 'data');
  assert.deepEqual(placeIn('shop/europe-west1-b/web'), { zone: 'europe-west1-b', name: 'web' });
  assert.equal(labelFilter('team:shop'), 'labels.team=shop');
  assert.equal(labelFilter('team'), 'labels.team:*');
  assert.deepEqual(zoneProblems('NAMES', ['a'], ['z']), []);
  assert.match(
    zoneProblems('NAMES', ['a', 'b'], ['z'])[0]?.expected ?? '',
    /as many zones as NAMES has names: 2/,
  );
  assert.deepEqual(oneZoneProblems(['z']), []);
  assert.equal(oneZoneProblems(['y', 'z']).length, 1);
});
