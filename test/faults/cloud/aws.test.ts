/** The faults of AWS against moto, whose state is looked at from outside. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ExperimentCluster, shareExperimentCluster } from '../../support/experiment-cluster.ts';
import { AwsWorld } from './support/aws-world.ts';
import { type Gate, openGate } from './support/gate.ts';
import { ACCOUNT, type Moto, motoMissing, startMoto } from './support/moto.ts';
import { ledgerOf, startCloudRun, until, verdictOf } from './support/run-cloud-fault.ts';
import { SystemsManager } from './support/ssm.ts';

const SECRET = 'a-secret-that-nobody-reads';

describe('faults of AWS', { skip: motoMissing, concurrency: 1 }, () => {
  let cluster: ExperimentCluster;
  let moto: Moto;
  let gate: Gate;
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-aws-'));
  const credentials = join(folder, 'cloud_config.yml');
  shareExperimentCluster((started) => {
    cluster = started;
  });
  before(async () => {
    writeFileSync(
      credentials,
      `[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = ${SECRET}\n`,
    );
    moto = await startMoto();
    gate = await openGate(moto.url, ({ body, headers }) =>
      String(/Action=(\w+)/.exec(body)?.[1] ?? headers['x-amz-target'] ?? 'another'),
    );
  });
  after(async () => {
    await gate?.[Symbol.asyncDispose]();
    await moto?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Regions are worlds of their own: each test has one. All of these have three zones or more. */
  const regions = [
    'eu-west-1',
    'eu-west-2',
    'eu-west-3',
    'eu-central-1',
    'eu-north-1',
    'us-east-1',
    'us-east-2',
  ]
    .concat(['us-west-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2', 'ap-northeast-1'])
    .concat(['ca-west-1'])
    .concat(['ap-northeast-2', 'ca-central-1', 'sa-east-1', 'eu-south-1', 'ap-northeast-3', 'us-gov-west-1']);
  function world() {
    const region = regions.pop();
    if (region === undefined) throw new Error('more tests than regions');
    gate.rule = () => undefined;
    const aws = new AwsWorld(moto.url, region);
    const run = (
      name: string,
      env: Readonly<Record<string, string>>,
      again?: { readonly namespace: string; readonly runId: string },
    ) =>
      startCloudRun(
        cluster,
        name,
        {
          ...{ REGION: region, AWS_ENDPOINT_URL: gate.url, AWS_SHARED_CREDENTIALS_FILE: credentials },
          ...{ TOTAL_CHAOS_DURATION: '60', CHAOS_INTERVAL: '60', ...env },
        },
        again,
      );
    return { aws, region, run };
  }

  test('instances that are named are stopped, all at once, and started again', async () => {
    const { aws, region, run } = world();
    const [one = '', two = '', other = ''] = await aws.instances(3);
    const chaos = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: `${one},${two}` });
    await until('both are stopped', async () => (await aws.states(one, two)) === 'stopped stopped');
    assert.equal(await aws.states(other), 'running');
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(await aws.states(one, two, other), 'running running running');
    const result = await chaos.result();
    assert.deepEqual(ledgerOf(result), [`${one} reverted`, `${two} reverted`].toSorted());
    assert.deepEqual(
      result.status?.history?.targets?.map(({ kind, name }) => `${kind} ${name}`).toSorted(),
      [`EC2 ${one}`, `EC2 ${two}`].toSorted(),
    );
    const text = JSON.stringify(result);
    assert.ok(text.includes(`EC2/${ACCOUNT}/${region}/${one}`), 'the timeline names account and region');
    assert.doesNotMatch(text, new RegExp(SECRET));
  });

  test('one after the other', async () => {
    const { aws, run } = world();
    const [one = '', two = ''] = await aws.instances(2);
    const env = { EC2_INSTANCE_ID: `${one},${two}`, SEQUENCE: 'serial', TOTAL_CHAOS_DURATION: '20' };
    const chaos = await run('ec2-stop-by-id', env);
    const seen = new Set<string>();
    let hasEnded = false;
    void chaos.outcome.finally(() => {
      hasEnded = true;
    });
    const watching = until('the run ends', async () => {
      seen.add(await aws.states(one, two));
      return hasEnded;
    });
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    await watching;
    assert.ok(seen.has('stopped running') && seen.has('running stopped'), [...seen].join('; '));
    assert.ok(!seen.has('stopped stopped'), [...seen].join('; '));
  });

  test('a share of the running instances with a tag, again and again', async () => {
    const { aws, run } = world();
    const tagged = await aws.instances(4, { team: 'shop' });
    await aws.instances(1);
    const [halted = ''] = await aws.instances(1, { team: 'shop' });
    await aws.stop(halted);
    const chaos = await run('ec2-terminate-by-tag', {
      EC2_INSTANCE_TAG: 'team:shop',
      INSTANCE_AFFECTED_PERC: '50',
      CHAOS_INTERVAL: '20',
    });
    const stopped = async () =>
      (await aws.states(...tagged)).split(' ').filter((state) => state === 'stopped');
    await until('two are stopped', async () => (await stopped()).length === 2);
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(await aws.states(...tagged), 'running running running running');
    assert.equal(await aws.states(halted), 'stopped', 'one that was stopped before is none of its business');
    const { timeline = [] } = (await chaos.result()).status ?? {};
    assert.match(timeline.map(({ message }) => message).join('\n'), /it was stopped [23] times/);
  });

  test('a tag that means nothing, or everything', async () => {
    const { aws, run } = world();
    const all = await aws.instances(2, { team: 'shop' });
    const none = await run('ec2-terminate-by-tag', { EC2_INSTANCE_TAG: 'team:bank' });
    assert.match(
      verdictOf(await none.outcome),
      /TARGET_SELECTION_ERROR.*no running instances with tag team:bank/,
    );
    const every = { EC2_INSTANCE_TAG: 'team:*', INSTANCE_AFFECTED_PERC: '100' };
    const refused = await run('ec2-terminate-by-tag', every);
    assert.match(verdictOf(await refused.outcome), /all 2 that the account has there.*ALLOW_ALL_INSTANCES/);
    assert.equal(await aws.states(...all), 'running running');
    const meant = await run('ec2-terminate-by-tag', { ...every, ALLOW_ALL_INSTANCES: 'true' });
    await until('both are stopped', async () => (await aws.states(...all)) === 'stopped stopped');
    assert.equal(verdictOf(await meant.outcome), 'Pass');
  });

  test('what cannot be stopped is refused before anything is', async () => {
    const { aws, run } = world();
    const [one = '', halted = ''] = await aws.instances(2);
    await aws.stop(halted);
    const missing = 'i-0123456789abcdef0';
    for (const [ids, reason] of [
      [`${one},${halted}`, /it is stopped; an instance has to be running/],
      [`${one},${missing}`, /there is no such instance/],
    ] as const) {
      const chaos = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: ids, DEFAULT_HEALTH_CHECK: 'false' });
      assert.match(verdictOf(await chaos.outcome), reason);
      assert.equal(await aws.states(one, halted), 'running stopped');
    }
  });

  test('an instance of an auto-scaling group is replaced by the group', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.group('workers', 2);
    const chaos = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: one, MANAGED_NODEGROUP: 'enable' });
    await until('it is stopped', async () => (await aws.states(one)) === 'stopped');
    await aws.replace(one);
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(await aws.states(one), 'terminated');
    assert.equal(await aws.inService('workers'), 2);
    const [lone = ''] = await aws.instances(1);
    const refused = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: lone, MANAGED_NODEGROUP: 'enable' });
    assert.match(verdictOf(await refused.outcome), /belongs to no auto-scaling group/);
  });

  test('an instance is left to its group when the fault is over, and started when that does nothing', async () => {
    const { aws, run } = world();
    const [slow = '', idle = ''] = await aws.group('workers', 2);
    const env = { MANAGED_NODEGROUP: 'enable', TOTAL_CHAOS_DURATION: '10', CHAOS_INTERVAL: '2' };
    const from = gate.log.length;
    const count = (action: string): number => gate.log.slice(from).filter((one) => one === action).length;
    const replaced = await run('ec2-terminate-by-id', { ...env, EC2_INSTANCE_ID: slow });
    await replaced.injected(slow);
    const looks = count('DescribeInstances');
    // More than the chaos has room for.
    await until('it is waited for', () => Promise.resolve(count('DescribeInstances') > looks + 8));
    await aws.replace(slow);
    assert.equal(verdictOf(await replaced.outcome), 'Pass');
    assert.deepEqual([count('StopInstances'), count('StartInstances')], [1, 0]);
    const left = await run('ec2-terminate-by-id', { ...env, EC2_INSTANCE_ID: idle });
    assert.equal(verdictOf(await left.outcome), 'Pass');
    assert.equal(await aws.states(idle), 'running');
    assert.match(JSON.stringify(await left.result()), /nothing has replaced it: it is given back/);
  });

  test('a volume goes back to its instance, its device and its end', async () => {
    const { aws, run } = world();
    const [instance = ''] = await aws.instances(1);
    const volume = await aws.volume(instance, '/dev/sdf', true);
    const before = await aws.attachment(volume);
    assert.match(before, /deleted with it/);
    const chaos = await run('ebs-loss-by-id', { EBS_VOLUME_ID: volume });
    await until('it is detached', async () => (await aws.attachment(volume)) === 'available');
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(await aws.attachment(volume), before);
  });

  test('volumes by their tag; roots and loose ones are refused', async () => {
    const { aws, run } = world();
    const [instance = ''] = await aws.instances(1);
    const volume = await aws.volume(instance, '/dev/sdf', false, { team: 'shop' });
    const before = await aws.attachment(volume);
    const chaos = await run('ebs-loss-by-tag', { EBS_VOLUME_TAG: 'team:shop' });
    await until('it is detached', async () => (await aws.attachment(volume)) === 'available');
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(await aws.attachment(volume), before);
    const root = await aws.root(instance);
    const ofRoot = await run('ebs-loss-by-id', { EBS_VOLUME_ID: root });
    assert.match(verdictOf(await ofRoot.outcome), /it is the root device/);
    const loose = await run('ebs-loss-by-id', { EBS_VOLUME_ID: await aws.volume() });
    assert.match(verdictOf(await loose.outcome), /attached to no instance/);
  });

  test('a database is stopped and started', async () => {
    const { aws, run } = world();
    await aws.database('shop');
    const chaos = await run('rds-instance-stop', { RDS_INSTANCE_IDENTIFIER: 'shop' });
    await until('it is stopped', async () => (await aws.databaseState('shop')) === 'stopped');
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(await aws.databaseState('shop'), 'available');
    const missing = await run('rds-instance-stop', { RDS_INSTANCE_IDENTIFIER: 'bank' });
    assert.match(verdictOf(await missing.outcome), /no such database instance/);
  });

  test('a command runs on an instance, and is cancelled with its document at the end', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1, { team: 'shop' });
    await aws.instances(1);
    const manager = new SystemsManager(one);
    gate.rule = (asked) => manager.answer(asked);
    for (const [name, env] of [
      ['aws-ssm-chaos-by-id', { EC2_INSTANCE_ID: one }],
      ['aws-ssm-chaos-by-tag', { EC2_INSTANCE_TAG: 'team:shop' }],
    ] as const) {
      const chaos = await run(name, { ...env, MEMORY_PERCENTAGE: '40' });
      await until('a command runs', () => Promise.resolve(manager.underWay === 1));
      assert.equal(verdictOf(await chaos.outcome), 'Pass');
      assert.equal(manager.underWay, 0);
      assert.equal(manager.documents.size, 0);
      assert.deepEqual(manager.commands.at(-1)?.Parameters.Percent, ['40']);
    }
    const [lone = ''] = await aws.instances(1);
    const unknown = await run('aws-ssm-chaos-by-id', { EC2_INSTANCE_ID: lone });
    assert.match(verdictOf(await unknown.outcome), /Systems Manager does not know it/);
    manager.outcome = 'Failed';
    const failed = await run('aws-ssm-chaos-by-id', { EC2_INSTANCE_ID: one });
    assert.match(
      verdictOf(await failed.outcome),
      /its command ended: Failed, with: stress-ng is not installed/,
    );
    assert.equal(manager.documents.size, 0);
  });

  test('a document of the user, which may be quick', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1);
    const manager = new SystemsManager(one);
    manager.outcome = 'Success';
    gate.rule = (asked) => manager.answer(asked);
    const path = join(folder, 'document.yml');
    writeFileSync(path, 'schemaVersion: "2.2"\nmainSteps: []\n');
    const env = { EC2_INSTANCE_ID: one, DOCUMENT_PATH: path, TOTAL_CHAOS_DURATION: '20' };
    const chaos = await run('aws-ssm-chaos-by-id', env);
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.deepEqual(manager.commands.at(-1)?.Parameters, {});
    const missing = await run('aws-ssm-chaos-by-id', { ...env, DOCUMENT_PATH: '/nowhere.yml' });
    assert.match(verdictOf(await missing.outcome), /cannot read DOCUMENT_PATH \/nowhere\.yml/);
  });

  test('zones are taken from load balancers of both generations, and given back', async () => {
    const { aws, run } = world();
    const zones = (await aws.zones()).slice(0, 3);
    assert.equal(zones.length, 3);
    const [first = ''] = zones;
    const classic = await aws.classicBalancer('old-shop', zones);
    const arn = await aws.balancer('shop', zones);
    for (const [env, subnets] of [
      [{ LOAD_BALANCER_NAME: 'old-shop' }, classic],
      [{ LOAD_BALANCERNAME_ARN: arn }, () => aws.balancerSubnets(arn)],
    ] as const) {
      const before = await subnets();
      assert.equal(before.length, 3);
      const chaos = await run('aws-az-chaos', { ...env, LOAD_BALANCER_ZONES: first });
      await until('one zone is away', async () => (await subnets()).length === 2);
      assert.equal(verdictOf(await chaos.outcome), 'Pass');
      assert.deepEqual(await subnets(), before);
    }
    const most = await run('aws-az-chaos', {
      LOAD_BALANCERNAME_ARN: arn,
      LOAD_BALANCER_ZONES: zones.slice(1).join(),
    });
    assert.match(verdictOf(await most.outcome), /would be left with 1 of its zones/);
  });

  test('credentials and permissions that do not suffice, by name', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1);
    const xml = (code: string) =>
      `<Response><Errors><Error><Code>${code}</Code><Message>no</Message></Error></Errors><RequestID>r</RequestID></Response>`;
    const env = { EC2_INSTANCE_ID: one };
    gate.rule = ({ body }) =>
      /GetCallerIdentity/.test(body)
        ? {
            status: 403,
            body: '<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>no</Message></Error></ErrorResponse>',
          }
        : undefined;
    const wrong = await run('ec2-terminate-by-id', env);
    assert.match(verdictOf(await wrong.outcome), /InvalidClientTokenId.*check the credentials/);
    gate.rule = ({ body }) =>
      /StopInstances/.test(body) ? { status: 403, body: xml('UnauthorizedOperation') } : undefined;
    const denied = await run('ec2-terminate-by-id', env);
    assert.match(
      verdictOf(await denied.outcome),
      /^Error CHAOS_INJECT_ERROR.*ec2:StopInstances: UnauthorizedOperation/,
    );
    assert.equal(await aws.states(one), 'running');
  });

  test('throttled for a minute: it goes on', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1);
    let left = 6;
    gate.rule = ({ body }) =>
      /StopInstances|StartInstances/.test(body) && left-- > 0
        ? {
            status: 503,
            body: '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>slow</Message></Error></Errors></Response>',
          }
        : undefined;
    const chaos = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: one });
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.ok(left < 0);
    assert.equal(await aws.states(one), 'running');
  });

  test('an API that is away when it is to be given back leaves the entry open, and a later run gives it back', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1);
    const chaos = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: one, TOTAL_CHAOS_DURATION: '10' });
    await chaos.injected(one);
    gate.rule = () => 'cut';
    assert.match(verdictOf(await chaos.outcome), /CHAOS_REVERT_ERROR|CHAOS_INJECT_ERROR/);
    assert.deepEqual(ledgerOf(await chaos.result()), [`${one} injected`]);
    assert.equal(await aws.states(one), 'stopped');
    gate.rule = () => undefined;
    // One that is set to another region finds no such instance there, which does not mean that it is gone.
    const elsewhere = await run(
      'ec2-terminate-by-id',
      { EC2_INSTANCE_ID: one, REGION: 'us-west-1' },
      { namespace: chaos.namespace, runId: 'run3' },
    );
    assert.notEqual((await elsewhere.outcome).verdict, 'Pass');
    assert.deepEqual(ledgerOf(await elsewhere.result()), [`${one} injected`]);
    assert.equal(await aws.states(one), 'stopped');
    const later = await run(
      'ec2-terminate-by-id',
      { EC2_INSTANCE_ID: one, TOTAL_CHAOS_DURATION: '10' },
      {
        namespace: chaos.namespace,
        runId: 'run2',
      },
    );
    assert.equal(verdictOf(await later.outcome), 'Pass');
    assert.equal(await aws.states(one), 'running');
  });

  test('two experiments on one instance: the second has nothing to stop, and none leaves it stopped', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1);
    const first = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: one });
    await until('it is stopped', async () => (await aws.states(one)) === 'stopped');
    const second = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: one });
    assert.match(verdictOf(await second.outcome), /it is stopped; an instance has to be running/);
    assert.equal(verdictOf(await first.outcome), 'Pass');
    assert.equal(await aws.states(one), 'running');
  });

  test('an instance that another client starts, or ends, meanwhile was not in force: no Pass', async () => {
    const { aws, run } = world();
    const [one = '', two = ''] = await aws.instances(2);
    for (const [id, meddle, reason] of [
      [one, () => aws.start(one), /stopped no more: it is running, which was done by another client/],
      [two, () => aws.terminate(two), /stopped no more: it is terminated/],
    ] as const) {
      const chaos = await run('ec2-terminate-by-id', {
        EC2_INSTANCE_ID: id,
        TOTAL_CHAOS_DURATION: '600',
        CHAOS_INTERVAL: '600',
      });
      await chaos.injected(id);
      await meddle();
      assert.match(verdictOf(await chaos.outcome), reason);
      assert.deepEqual(ledgerOf(await chaos.result()), [`${id} reverted`]);
    }
  });

  test('an abort starts what is stopped', async () => {
    const { aws, run } = world();
    const [one = ''] = await aws.instances(1);
    const chaos = await run('ec2-terminate-by-id', { EC2_INSTANCE_ID: one, TOTAL_CHAOS_DURATION: '600' });
    await until('it is stopped', async () => (await aws.states(one)) === 'stopped');
    chaos.stop();
    assert.equal((await chaos.outcome).verdict, 'Stopped');
    assert.equal(await aws.states(one), 'running');
    assert.deepEqual(ledgerOf(await chaos.result()), [`${one} reverted`]);
  });
});
