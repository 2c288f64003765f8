import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { sendJson, startTestServer, type TestServer } from '@turnsole/kube/testing/http-server';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { contextFor } from '../../experiment/injection/testing/builders.ts';
import { runExperiment } from '../../experiment/run/run-experiment.ts';
import { basicAuthorization, urlOf } from './redfish.ts';
import redfishNodeRestart from './redfish-node-restart.ts';

const life = { organization: 'test', now: Date.now(), lifetimeDays: 1 };
const pair = makeServerCertificate(makeAuthority({ commonName: 'factory', ...life }), {
  commonName: 'idrac',
  names: ['127.0.0.1'],
  ...life,
});
const tls = {
  key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  cert: toPem('CERTIFICATE', pair.certificate),
};

/** A machine with a controller that speaks Redfish over TLS with a certificate of its own making. */
interface Machine extends AsyncDisposable {
  readonly server: TestServer;
  readonly address: string;
  /** What was asked for, and what the power did. */
  readonly log: string[];
  power: string;
}

interface MachineShape {
  readonly systems?: readonly string[];
  readonly power?: string;
  /** What a reset does; restarts by default: off for two questions, then on. */
  readonly onReset?: (machine: Machine, type: string) => void;
}

async function machine({ systems = ['System.Embedded.1'], power = 'On', onReset }: MachineShape = {}) {
  let untilOn = 0;
  const restart = (own: Machine): void => {
    own.power = 'PoweringOn';
    untilOn = 2;
  };
  const server = await startTestServer(
    ({ method, url, headers, body }, response) => {
      if (headers.authorization !== basicAuthorization('root', 'calvin:1')) {
        sendJson(response, 401, { error: { message: 'login needed' } });
        return;
      }
      const id = systems.find((one) => url.replace(/\/$/, '').startsWith(`/redfish/v1/Systems/${one}`));
      if (url === '/redfish/v1/Systems') {
        sendJson(response, 200, {
          Members: systems.map((one) => ({ '@odata.id': `/redfish/v1/Systems/${one}` })),
        });
      } else if (id === undefined) {
        sendJson(response, 404, { error: { message: 'no such resource' } });
      } else if (method === 'POST' && url.endsWith('/Actions/ComputerSystem.Reset')) {
        const { ResetType: type } = JSON.parse(body) as { ResetType: string };
        own.log.push(type);
        (onReset ?? restart)(own, type);
        response.writeHead(204).end();
      } else {
        if (own.power === 'PoweringOn' && --untilOn < 0) own.power = 'On';
        own.log.push(own.power);
        sendJson(response, 200, { Id: id, PowerState: own.power });
      }
    },
    { tls },
  );
  const own: Machine = {
    server,
    address: server.url.replace('https://', ''),
    log: [],
    power,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return own;
}

const LOGIN = { USER: 'root', PASSWORD: 'calvin:1' };

function contextOf(address: string, env: Record<string, string> = {}): FaultContext {
  const { settings } = compileSettings(redfishNodeRestart, { ...LOGIN, IPMI_IP: address, ...env }, () => 0);
  return { ...contextFor(), clock: fastClock(), recoveryTimeoutMs: 5_000, tunables: settings.tunables };
}

const injectionOf = (name: string) => ({
  id: `run.r0.${name}.${Math.random()}`,
  target: { kind: 'node', name },
  parameters: {},
});

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});
async function run(address: string, env: Record<string, string> = {}, stop = new AbortController()) {
  const namespace = await cluster.namespace();
  const engine = await cluster.engine(namespace, 'redfish-node-restart');
  const outcome = await runExperiment({
    fault: redfishNodeRestart,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid,
      CHAOS_NAMESPACE: namespace,
      IPMI_IP: address,
      ...LOGIN,
      TOTAL_CHAOS_DURATION: '10',
      STATUS_CHECK_TIMEOUT: '20',
      ...env,
    },
    client: cluster.client,
    clock: fastClock(),
    random: () => 0,
    signal: stop.signal,
    logger: silentLogger,
  });
  const result = await cluster.result(namespace, 'eng-redfish-node-restart');
  return { outcome, result, events: await cluster.events(namespace) };
}

test('the machine is restarted once, and the run ends when it is on again', async () => {
  await using one = await machine();
  const { outcome, result, events } = await run(one.address);
  assert.equal(outcome.verdict, 'Pass', JSON.stringify(outcome));
  assert.deepEqual(
    one.log.filter((line) => !line.startsWith('Power') && line !== 'On'),
    ['ForceRestart'],
  );
  assert.ok(one.log.includes('PoweringOn') && one.log.at(-1) === 'On', one.log.join(' '));
  assert.deepEqual(
    result.status?.history?.targets?.map(({ kind, name }) => `${kind} ${name}`),
    [`node ${one.address}`],
  );
  assert.ok(
    events.some((line) => line.includes('PreChaosCheck Normal ×1: NUT: Running')),
    events.join('\n'),
  );
  assert.doesNotMatch(JSON.stringify({ result, events }), /calvin/);
});

test('a machine that stays off is switched on, and the run is an error that says so', async () => {
  await using one = await machine({
    onReset: (own, type) => {
      own.power = type === 'On' ? 'On' : 'Off';
    },
  });
  const { outcome } = await run(one.address, { DEFAULT_HEALTH_CHECK: 'false' });
  assert.equal(`${outcome.verdict} ${outcome.errorOutput?.errorCode}`, 'Error STATUS_CHECKS_ERROR');
  assert.match(outcome.errorOutput?.reason ?? '', /is not on after 20 s: its PowerState is Off/);
  assert.equal(one.power, 'On');
});

test('an abort sees to it that the machine is on, and leaves nothing open', async () => {
  const stop = new AbortController();
  await using one = await machine({
    onReset: (own, type) => {
      own.power = type === 'On' ? 'On' : 'Off';
      stop.abort(new Error('enough'));
    },
  });
  const { outcome, result } = await run(one.address, { TOTAL_CHAOS_DURATION: '1000' }, stop);
  assert.equal(outcome.verdict, 'Stopped');
  assert.equal(one.power, 'On');
  assert.deepEqual(
    Object.values(result.status?.ledger ?? {}).map(({ state }) => state),
    ['reverted'],
  );
});

test('what keeps the run from beginning', async (t) => {
  await using off = await machine({ power: 'Off' });
  await using blades = await machine({ systems: ['blade-1', 'blade-2'] });
  await using one = await machine();
  const gone = { address: '127.0.0.1:1', log: [] };
  const cases: readonly [string, Pick<Machine, 'address' | 'log'>, Record<string, string>, RegExp][] = [
    ['it is off', off, {}, /is not on after 20 s: its PowerState is Off/],
    ['wrong password', one, { PASSWORD: 'guess' }, /status 401.*check USER and PASSWORD/],
    [
      'several systems',
      blades,
      {},
      /no system System\.Embedded\.1; it has .*blade-1, .*blade-2: set REDFISH_SYSTEM/,
    ],
    ['no controller', gone, {}, /ECONNREFUSED/],
    ['its certificate', one, { REDFISH_VERIFY_TLS: 'true' }, /certificate/],
  ];
  for (const [name, { address, log }, env, reason] of cases) {
    await t.test(name, async () => {
      const { outcome } = await run(address, env);
      assert.equal(`${outcome.verdict} ${outcome.errorOutput?.errorCode}`, 'Error STATUS_CHECKS_ERROR');
      assert.match(outcome.errorOutput?.reason ?? '', reason);
      assert.ok(!log.includes('ForceRestart'));
    });
  }
});

test('a machine that is off is not restarted either when its state was not checked before', async () => {
  await using off = await machine({ power: 'Off', onReset: () => {} });
  const context = contextOf(off.address);
  await assert.rejects(redfishNodeRestart.inject(injectionOf(off.address), context), {
    code: 'CHAOS_INJECT_ERROR',
    message: /its PowerState is Off; switch it on first/,
  });
  assert.deepEqual(off.log, ['Off']);
});

test('injected twice it restarts once; reverting twice, or without injecting, asks for nothing', async () => {
  await using one = await machine({ systems: ['437XR1138R2'] });
  const context = contextOf(one.address);
  const injection = injectionOf(one.address);
  await redfishNodeRestart.revert(injection, context);
  await redfishNodeRestart.inject(injection, context);
  await redfishNodeRestart.inject(injection, context);
  await redfishNodeRestart.revert(injection, context);
  await redfishNodeRestart.revert(injection, context);
  assert.deepEqual(
    one.log.filter((line) => line === 'ForceRestart' || line === 'Off'),
    ['ForceRestart'],
  );
});

test('a controller that does not answer keeps the entry open', async () => {
  const gone = await machine();
  await gone[Symbol.asyncDispose]();
  await assert.rejects(redfishNodeRestart.revert(injectionOf(gone.address), contextOf(gone.address)), {
    code: 'CHAOS_REVERT_ERROR',
  });
});

test('settings that cannot be used, by name', () => {
  const problems = (env: Record<string, string>) =>
    compileSettings(redfishNodeRestart, env, () => 0).problems.map(({ variable }) => variable);
  assert.deepEqual(problems({}), ['IPMI_IP', 'USER', 'PASSWORD']);
  assert.deepEqual(problems({ ...LOGIN, IPMI_IP: 'https://bmc/' }), ['IPMI_IP']);
  assert.deepEqual(problems({ ...LOGIN, IPMI_IP: 'bmc', REDFISH_SYSTEM: 'a/b' }), ['REDFISH_SYSTEM']);
});

test('addresses', () => {
  assert.equal(urlOf('10.0.0.1', '/x'), 'https://10.0.0.1/x');
  assert.equal(urlOf('bmc:8443', '/x'), 'https://bmc:8443/x');
  assert.equal(urlOf('fd00::1', '/x'), 'https://[fd00::1]/x');
});
