import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { credentialsOf } from './aws-api.ts';
import { cloudErrorOf } from './aws-errors.ts';
import { lookAtVolume } from './ebs-loss.ts';
import { lookAt } from './ec2-stop.ts';
import { type LostSubnet, lookAtZones, subnetsLost } from './load-balancers.ts';
import { lookAtDatabase } from './rds-instance-stop.ts';
import { documentName, lookAtCommand } from './ssm-chaos.ts';
import { AWS_TUNABLES, type AwsTunables, tagFilter } from './tunables.ts';

test('an instance by its state', () => {
  const states = ['running', 'stopped', 'stopping', 'pending', 'terminated', undefined];
  assert.deepEqual(
    states.map((state) => lookAt(state).state),
    ['there', 'taken', 'going', 'coming', 'gone', 'gone'],
  );
  assert.match(lookAt('stopped', 'Server.InsufficientInstanceCapacity').words, /Insufficient/);
});

test('a volume beside how it was', () => {
  const was = {
    volume: 'vol-1',
    region: 'r',
    instance: 'i-1',
    device: '/dev/sdf',
    deleteOnTermination: true,
  };
  const own = (State: 'attached' | 'attaching' | 'detaching' | 'busy' | 'detached', Device = '/dev/sdf') => [
    { InstanceId: 'i-1', Device, State },
  ];
  const rows: readonly (readonly [Parameters<typeof lookAtVolume>[0], boolean, string])[] = [
    [{ State: 'in-use', Attachments: own('attached') }, true, 'there'],
    // Attached anew, and not yet as it was.
    [{ State: 'in-use', Attachments: own('attached') }, false, 'part'],
    [{ State: 'in-use', Attachments: own('attaching') }, false, 'coming'],
    [{ State: 'in-use', Attachments: own('detaching') }, true, 'going'],
    [{ State: 'in-use', Attachments: own('busy') }, true, 'going'],
    [{ State: 'available', Attachments: [] }, false, 'taken'],
    [{ State: 'in-use', Attachments: own('detached') }, false, 'going'],
    [{ State: 'in-use', Attachments: own('attached', '/dev/sdz') }, true, 'gone'],
    [{ State: 'in-use', Attachments: [{ InstanceId: 'i-2', State: 'attached' }] }, false, 'gone'],
    [{ State: 'deleting', Attachments: [] }, false, 'gone'],
    [undefined, false, 'gone'],
  ];
  for (const [volume, goes, state] of rows) {
    assert.equal(lookAtVolume(volume, was, goes).state, state, JSON.stringify([volume, goes]));
  }
});

test('a database by its status', () => {
  const rows = {
    available: 'there',
    stopped: 'taken',
    stopping: 'going',
    starting: 'coming',
    'backing-up': 'coming',
  };
  for (const [status, state] of Object.entries(rows)) assert.equal(lookAtDatabase(status).state, state);
  assert.equal(lookAtDatabase('deleting').state, 'gone');
  assert.equal(lookAtDatabase(undefined).state, 'gone');
});

test('a command by its status, with its document and without', () => {
  const rows: readonly (readonly [string, boolean, string, boolean])[] = [
    ['Pending', true, 'going', false],
    ['InProgress', true, 'taken', false],
    ['InProgress', false, 'taken', false],
    ['Success', true, 'taken', false],
    ['Success', false, 'there', false],
    ['Cancelling', true, 'coming', false],
    ['Cancelled', false, 'there', false],
    ['Failed', true, 'part', true],
    ['TimedOut', true, 'part', true],
  ];
  for (const [status, hasDocument, state, hasFailed] of rows) {
    const look = lookAtCommand(status, hasDocument);
    assert.deepEqual([look.state, look.failed !== undefined], [state, hasFailed], status);
  }
});

test('names of documents are those of one run and one instance', () => {
  const names = [
    documentName('Doc', 'r1', 'i-1'),
    documentName('Doc', 'r1', 'i-2'),
    documentName('Doc', 'r2', 'i-1'),
  ];
  assert.equal(new Set(names).size, 3);
  assert.equal(documentName('Doc', 'r1', 'i-1'), names[0]);
  for (const name of names) assert.match(name, /^Doc-[0-9a-f]{10}$/);
});

const subnet = (letter: string): LostSubnet => ({ subnet: `subnet-${letter}`, zone: `eu-west-1${letter}` });

test('zones that a load balancer cannot lose', () => {
  const three = ['a', 'b', 'c'].map(subnet);
  const lose = (type: string, ...zones: string[]) =>
    subnetsLost(
      'lb',
      { subnets: three, type },
      zones.map((letter) => `eu-west-1${letter}`),
    );
  assert.deepEqual(lose('application', 'a'), [subnet('a')]);
  assert.deepEqual(lose('classic', 'a', 'b'), [subnet('a'), subnet('b')]);
  assert.throws(() => lose('application', 'a', 'b'), /left with 1 of its zones.*wants 2/);
  assert.throws(() => lose('network', 'a', 'b', 'c'), /left with 0/);
  assert.throws(
    () => lose('application', 'd'),
    /it is not in eu-west-1d, but in eu-west-1a, eu-west-1b, eu-west-1c/,
  );
});

test('a load balancer beside how it was', () => {
  const lost = [subnet('a'), subnet('b')];
  const with_ = (...letters: string[]) => ({ subnets: letters.map(subnet), isChanging: false });
  assert.equal(lookAtZones(with_('a', 'b', 'c'), lost).state, 'there');
  assert.equal(lookAtZones(with_('c'), lost).state, 'taken');
  assert.equal(lookAtZones(with_('b', 'c'), lost).state, 'part');
  assert.equal(lookAtZones(undefined, lost).state, 'gone');
});

test('errors by what may be done about them', () => {
  const of = (name: string, status?: number) =>
    cloudErrorOf('ec2:X', Object.assign(new Error('said'), { name, $metadata: { httpStatusCode: status } }))
      .kind;
  const rows: readonly (readonly [string, number | undefined, string])[] = [
    ['RequestLimitExceeded', 503, 'throttled'],
    ['ThrottlingException', 400, 'throttled'],
    ['Whatever', 429, 'throttled'],
    ['UnauthorizedOperation', 403, 'denied'],
    ['CredentialsProviderError', undefined, 'denied'],
    ['Whatever', 403, 'denied'],
    ['InvalidInstanceID.NotFound', 400, 'gone'],
    ['DBInstanceNotFoundFault', 404, 'gone'],
    ['IncorrectInstanceState', 400, 'busy'],
    ['VolumeInUse', 400, 'busy'],
    ['InternalError', 500, 'unavailable'],
    ['TimeoutError', undefined, 'unavailable'],
    ['Error', undefined, 'refused'],
    ['TypeError', undefined, 'refused'],
    ['InvalidParameterValue', 400, 'refused'],
  ];
  for (const [name, status, kind] of rows) assert.equal(of(name, status), kind, name);
  const broken = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  assert.equal(cloudErrorOf('ec2:X', broken).kind, 'unavailable');
  assert.equal(cloudErrorOf('ec2:X', new Error('said', { cause: broken })).kind, 'unavailable');
  const long = cloudErrorOf(
    'ec2:X',
    Object.assign(new Error('x'.repeat(2_000)), { name: 'UnauthorizedOperation' }),
  );
  assert.ok(long.message.length < 500, 'an encoded message is cut');
});

test('credentials: a key, then a file that is there, then a role, then what the machine has', () => {
  const none = Object.fromEntries(Object.keys(AWS_TUNABLES).map((name) => [name, '']));
  const of = (given: Partial<Record<keyof AwsTunables, string>>, isThere = false) =>
    credentialsOf({ ...none, ...given } as Tunables<AwsTunables>, () => isThere);
  const file = { AWS_SHARED_CREDENTIALS_FILE: '/tmp/cloud_config.yml' };
  const role = { AWS_ROLE_ARN: 'arn', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' };
  assert.deepEqual(of({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', ...file }, true), {
    key: { id: 'a', secret: 'b' },
  });
  assert.deepEqual(of({ ...file, ...role, AWS_PROFILE: 'test' }, true), {
    file: '/tmp/cloud_config.yml',
    profile: 'test',
  });
  assert.deepEqual(of({ ...file, ...role }), { webIdentity: { roleArn: 'arn', tokenFile: '/token' } });
  assert.deepEqual(of(file), {});
});

test('tags as filters', () => {
  assert.deepEqual(tagFilter('team:shop'), { Name: 'tag:team', Values: ['shop'] });
  assert.deepEqual(tagFilter('url:http://x'), { Name: 'tag:url', Values: ['http://x'] });
});
