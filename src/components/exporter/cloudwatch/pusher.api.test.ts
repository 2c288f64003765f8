/** The exporter as it pushes to CloudWatch, against an API server and a server that checks signatures. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Logger } from '@turnsole/kube/base/log';
import { silentLogger } from '@turnsole/kube/base/log';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { SeenRequest } from '@turnsole/kube/testing/http-server';
import { until } from '@turnsole/kube/testing/until';
import { CHAOS_RESULTS } from '../../../api/index.ts';
import { defineRunKinds } from '../../subscriber/testing/infrastructure.ts';
import { type CloudWatchServer, startCloudWatch } from '../testing/cloudwatch-server.ts';
import { engineOf, resultOf, store, storeEngine } from '../testing/results.ts';
import { startExporter } from '../testing/running-exporter.ts';

const REGION = 'eu-west-1';
const SWITCHES = {
  AWS_CLOUDWATCH_METRIC_NAMESPACE: 'chaos',
  CLUSTER_NAME: 'blue',
  APP_NAME: 'chaos-monitor',
};

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

let number = 0;
async function namespaceOfTest(): Promise<string> {
  const name = `watched-${++number}`;
  await api.client.create(NAMESPACES, { metadata: { name } });
  return name;
}

function environment({ url }: CloudWatchServer, env: Record<string, string> = {}): Record<string, string> {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  return { ...SWITCHES, AWS_REGION: REGION, AWS_ENDPOINT_URL: url, ...keys, ...env };
}

/** Moves the time on until it is so. */
async function inTime(clock: FakeClock, isSo: () => boolean, what: string): Promise<void> {
  await until(async () => {
    await clock.advance(1_000);
    return isSo();
  }, what);
}

/** The values of a metric, in the order of their coming. */
const valuesOf = ({ stored }: CloudWatchServer, name: string): number[] =>
  stored.flatMap(({ data }) => data.filter((one) => one.name === name).map(({ value }) => value));

test('what has changed is pushed with upstream’s names, dimensions and unit, signed; what was there before is in the sums', async () => {
  const namespace = await namespaceOfTest();
  const passed = { verdict: 'Pass', percentage: '100', runs: [2, 1, 0] } as const;
  await store(api.client, namespace, resultOf({ ...passed, name: 'old', engine: 'old' }));
  await storeEngine(api.client, namespace, engineOf());
  await using server = await startCloudWatch({ region: REGION, keys: { id: { secret: 'secret' } } });
  const clock = new FakeClock();
  await using exporter = await startExporter(api.server.adminConfig, namespace, {
    env: environment(server),
    clock,
  });
  await inTime(clock, () => server.stored.length > 0, 'the first sums are pushed');
  assert.deepEqual(
    server.stored[0]?.data.map(({ name, value }) => [name, value]),
    [
      ['total_passed_experiments', 2],
      ['total_failed_experiments', 1],
      ['total_awaited_experiments', 0],
      ['experiments_run_count', 3],
      ['experiments_installed_count', 1],
    ],
  );
  const times = ['ExperimentStarted', 'ChaosStarted', 'Verdict'].map((step, index) => ({
    step,
    time: `2026-01-01T00:00:${10 * index}.000Z`.replace(':0.', ':00.'),
    runId: 'run-1',
    actor: 'experiment/pod-delete',
  }));
  await store(
    api.client,
    namespace,
    resultOf({ ...passed, percentage: '50', runs: [1, 0, 0], status: { timeline: times } }),
  );
  await exporter.scrapeUntil(
    (page) => page.of('litmuschaos_passed_experiments', '"web"')[0] === 1,
    'it is seen',
  );
  await inTime(
    clock,
    () => valuesOf(server, 'chaosresult_passed_experiments').length > 0,
    'the result is pushed',
  );
  const { namespace: metricNamespace, data = [] } = server.stored.at(-1) ?? {};
  assert.equal(metricNamespace, 'chaos');
  const start = Date.UTC(2026, 0, 1) / 1000;
  assert.deepEqual(
    data.map(({ name, value }) => [name, value]),
    [
      ['chaosresult_passed_experiments', 1],
      ['chaosresult_failed_experiments', 0],
      ['chaosresult_awaited_experiments', 0],
      ['chaosresult_probe_success_percentage', 50],
      ['chaosresult_start_time', start],
      ['chaosresult_end_time', start + 20],
      ['chaosresult_inject_time', start + 10],
      ['chaosresult_total_duration', 20],
      ['total_passed_experiments', 3],
      ['total_failed_experiments', 1],
      ['total_awaited_experiments', 0],
      ['experiments_run_count', 4],
      ['experiments_installed_count', 2],
    ],
  );
  for (const { unit, dimensions } of data)
    assert.deepEqual([unit, dimensions], ['Count', 'ClusterName=blue,Service=chaos-monitor']);
  const before = server.stored.length;
  await inTime(clock, () => server.stored.length > before, 'sums are pushed although nothing changes');
  assert.equal(server.stored.at(-1)?.data.length, 5);
  assert.deepEqual(server.refused, []);
  assert.equal(await exporter.stop(), 0);
});

test('a refusal is logged once for each reason, scrapes go on, and nothing that changed meanwhile is lost', async () => {
  const namespace = await namespaceOfTest();
  const logged: (readonly [message: string, detail: unknown])[] = [];
  const line = (fields: Readonly<Record<string, unknown>> | string, message = ''): void => {
    if (typeof fields === 'object' && message.includes('CloudWatch')) logged.push([message, fields.detail]);
  };
  const logger: Logger = { ...silentLogger, info: line, warn: line };
  const keys = { id: { secret: 'other' } };
  await using server = await startCloudWatch({ region: REGION, keys });
  const clock = new FakeClock();
  await using exporter = await startExporter(api.server.adminConfig, namespace, {
    env: environment(server),
    clock,
    logger,
  });
  await inTime(clock, () => server.refused.length > 2, 'it tries again');
  await store(api.client, namespace, resultOf({ verdict: 'Fail', percentage: '0', runs: [0, 1, 0] }));
  await store(api.client, namespace, resultOf({ name: 'brief', engine: 'brief' }));
  await exporter.scrapeUntil(
    (page) => page.of('litmuschaos_failed_experiments').length === 2,
    'scrapes go on',
  );
  await api.client.delete(CHAOS_RESULTS, 'brief', { namespace });
  await exporter.scrapeUntil((page) => page.of('litmuschaos_failed_experiments').length === 1, 'it is gone');
  for (const time of ['20300101T000000Z', '20300101T000100Z']) {
    const message = `too many at ${time}`;
    server.refusal = { status: 400, code: 'Throttling', message };
    const before = server.refused.length;
    await inTime(clock, () => server.refused.length > before, message);
  }
  assert.equal(server.stored.length, 0);
  server.refusal = undefined;
  keys.id.secret = 'secret';
  // The exporter reads the answer after the server has sent it.
  await inTime(clock, () => server.stored.length > 0 && logged.length > 2, 'it is taken, and logged');
  assert.deepEqual(valuesOf(server, 'chaosresult_failed_experiments'), [1], 'of the one that is there, once');
  assert.deepEqual(new Set(server.refused), new Set(['SignatureDoesNotMatch', 'Throttling']));
  const [signature, throttling, again, ...others] = logged;
  assert.match(String(signature?.[1]), /^PutMetricData: http:.* answers 403: SignatureDoesNotMatch: /);
  assert.match(String(throttling?.[1]), /answers 400: Throttling: too many at 20300101T000000Z$/);
  assert.equal(again?.[0], 'pushing to CloudWatch works again');
  assert.deepEqual(others, []);
});

test('a CloudWatch that is not there keeps no scrape waiting, and its end not either', async () => {
  const namespace = await namespaceOfTest();
  const asked = Promise.withResolvers<void>();
  await using server = await startCloudWatch({
    region: REGION,
    keys: {},
    // Never answers.
    others: () => {
      asked.resolve();
      return true;
    },
  });
  const clock = new FakeClock();
  await using exporter = await startExporter(api.server.adminConfig, namespace, {
    env: environment(server),
    clock,
  });
  await clock.advance(10_000);
  await asked.promise;
  assert.deepEqual((await exporter.scrape()).of('litmuschaos_namespace_scoped_passed_experiments'), [0]);
  assert.equal(await exporter.stop(), 0);
});

/** What is asked for keys, and how it answers: by the request, and the number of the answer. */
interface Lender {
  readonly env: (url: string, tokenFile: string) => Record<string, string>;
  readonly isAsked: (request: SeenRequest) => boolean;
  readonly answer: (keys: { id: string; secret: string; token: string; ends: string }) => string;
}

const LENDERS: Readonly<Record<string, Lender>> = {
  'a role of the service account': {
    env: (_, tokenFile) => ({ AWS_ROLE_ARN: 'arn:role', AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile }),
    isAsked: ({ body }) => {
      const form = new URLSearchParams(body);
      const said = ['Action', 'RoleArn', 'WebIdentityToken'].map((name) => form.get(name));
      return said.join() === 'AssumeRoleWithWebIdentity,arn:role,of-the-pod';
    },
    answer: ({ id, secret, token, ends }) =>
      `<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>` +
      `<SessionToken>${token}</SessionToken><Expiration>${ends}</Expiration></Credentials></AssumeRoleWithWebIdentityResponse>`,
  },
  'an agent of the node': {
    env: (url, tokenFile) => ({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
    }),
    isAsked: ({ url, headers }) => url === '/v1/credentials' && headers.authorization === 'of-the-pod',
    answer: ({ id, secret, token, ends }) =>
      JSON.stringify({ AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: ends }),
  },
};

for (const [name, lender] of Object.entries(LENDERS)) {
  test(`keys that ${name} lends sign until shortly before they end, and others after that`, async (context) => {
    const namespace = await namespaceOfTest();
    const folder = await mkdtemp(join(tmpdir(), 'turnsole-token-'));
    context.after(() => rm(folder, { recursive: true, force: true }));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'of-the-pod\n');
    const clock = new FakeClock();
    const keys: Record<string, { secret: string; token: string }> = {};
    await using server = await startCloudWatch({
      region: REGION,
      keys,
      others: (request, response) => {
        if (!lender.isAsked(request)) return false;
        const id = `lent-${Object.keys(keys).length + 1}`;
        const [secret, token] = [`${id}-secret`, `${id}-token`];
        keys[id] = { secret, token };
        response.end(
          lender.answer({ id, secret, token, ends: new Date(clock.now() + 900_000).toISOString() }),
        );
        return true;
      },
    });
    const env = environment(server, {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      ...lender.env(server.url, tokenFile),
    });
    await using exporter = await startExporter(api.server.adminConfig, namespace, { env, clock });
    await inTime(clock, () => server.stored.some(({ key }) => key === 'lent-2'), 'other keys are used');
    assert.ok(
      server.stored.filter(({ key }) => key === 'lent-1').length > 1,
      'the first ones were used more than once',
    );
    assert.deepEqual(server.refused, []);
    assert.equal(await exporter.stop(), 0);
  });
}
