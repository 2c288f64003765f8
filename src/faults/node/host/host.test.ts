import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MachineOrder } from '@turnsole/cluster/node/machine/machine-order';
import type { CommandResult } from '../../../experiment/node/command.ts';
import { NodeCommandError, NodeError } from '../../../experiment/node/node-error.ts';
import { embeddedServices } from './embedded.ts';
import type { StoppedService } from './services.ts';
import { armCommand, nameOf, systemdServices } from './systemd.ts';
import { parseUnitStates, runtimeUnits, serviceUnit, type UnitState, unitsToStop } from './units.ts';

const signal = new AbortController().signal;
const KUBELET: StoppedService = {
  id: 'run.r0.node-1',
  node: 'node-1',
  service: 'kubelet',
  units: ['kubelet.service'],
  reviveSeconds: 30,
};
const DOCKER: StoppedService = { ...KUBELET, service: 'runtime', units: ['docker.socket', 'docker.service'] };

test('what systemctl shows of several units', () => {
  const text =
    'Id=a.service\nLoadState=loaded\nActiveState=active\n\nLoadState=not-found\nId=b=c.service\nActiveState=inactive\n';
  assert.deepEqual(parseUnitStates(text), [
    { id: 'a.service', load: 'loaded', active: 'active' },
    { id: 'b=c.service', load: 'not-found', active: 'inactive' },
  ]);
  assert.deepEqual(parseUnitStates(''), []);
});

describe('which units are stopped', () => {
  const state = (id: string, active: string, load = 'loaded'): UnitState => ({ id, load, active });
  const table: readonly (readonly [
    string,
    readonly string[],
    readonly UnitState[],
    readonly string[] | RegExp,
  ])[] = [
    ['one that runs', ['a.service'], [state('a.service', 'active')], ['a.service']],
    [
      'one that is not there',
      ['a.service'],
      [state('a.service', 'inactive', 'not-found')],
      /there is no unit a.service/,
    ],
    ['nothing said', ['a.service'], [], /there is no unit a.service.*SERVICE_NAME/],
    [
      'one that does not run',
      ['a.service'],
      [state('a.service', 'failed')],
      /does not run on this node \(it is failed\)/,
    ],
    [
      'the socket before the service',
      DOCKER.units,
      [state('docker.service', 'active'), state('docker.socket', 'active')],
      DOCKER.units,
    ],
    [
      'a socket that does not listen stays as it is',
      DOCKER.units,
      [state('docker.socket', 'inactive'), state('docker.service', 'active')],
      ['docker.service'],
    ],
    ['a socket alone is nothing', DOCKER.units, [state('docker.socket', 'active')], /no unit docker.service/],
  ];
  for (const [name, wanted, states, expected] of table) {
    test(name, () => {
      const found = unitsToStop(wanted, states);
      if (expected instanceof RegExp) assert.match(String(found), expected);
      else assert.deepEqual(found, expected);
    });
  }
});

test('the units of a container runtime, by what the node says', () => {
  assert.deepEqual(runtimeUnits('containerd://1.7.2'), ['containerd.service']);
  assert.deepEqual(runtimeUnits('cri-o://1.30.0'), ['crio.service']);
  assert.deepEqual(runtimeUnits('docker://20.10.1'), ['docker.socket', 'docker.service']);
  for (const other of ['', 'frakti://1', 'turnsole-process://0.1.0'])
    assert.equal(runtimeUnits(other), undefined);
  assert.deepEqual(['k3s-agent', 'a.service', 'a.socket', 'a@b.c'].map(serviceUnit), [
    'k3s-agent.service',
    'a.service',
    'a.socket',
    'a@b.c.service',
  ]);
});

/** A host that carries out the orders of systemctl and systemd-run, as far as these tests need. */
class Host {
  readonly units: Map<string, string>;
  readonly said: string[] = [];
  /** What the transient timer would start. */
  armed: readonly string[] | undefined;

  constructor(units: Readonly<Record<string, string>>) {
    this.units = new Map(Object.entries(units));
  }

  readonly run = (command: readonly string[]): Promise<CommandResult> => {
    const [program, verb, ...rest] = command;
    if (program === 'systemd-run') {
      this.armed = command.slice(command.indexOf('start') + 1);
      this.said.push('arm');
      return this.#answer('');
    }
    assert.equal(program, 'systemctl');
    if (verb === 'show')
      return this.#answer(
        rest
          .slice(1)
          .map((unit) => this.#show(unit))
          .join('\n'),
      );
    this.said.push(`${verb} ${rest.join(' ')}`);
    for (const unit of rest) {
      const isTransient = unit === `${nameOf(KUBELET)}.service`;
      const touched = isTransient ? (this.armed ?? []) : [unit];
      for (const one of touched) {
        if (this.units.has(one)) this.units.set(one, verb === 'start' ? 'active' : 'inactive');
      }
      if (unit.endsWith('.timer') && verb === 'stop') this.armed = undefined;
    }
    return this.#answer('');
  };

  #show(unit: string): string {
    const isTimer = unit === `${nameOf(KUBELET)}.timer`;
    const isLoaded = isTimer ? this.armed !== undefined : this.units.has(unit);
    return `Id=${unit}\nLoadState=${isLoaded ? 'loaded' : 'not-found'}\nActiveState=${this.units.get(unit) ?? 'inactive'}\n`;
  }

  #answer(stdout: string): Promise<CommandResult> {
    return Promise.resolve({ exitCode: 0, stdout, stderr: '' });
  }
}

describe('services of systemd', () => {
  test('the order to start again is there before anything is stopped; twice is once', async () => {
    const host = new Host({ 'kubelet.service': 'active' });
    const services = systemdServices(host.run);
    await services.stop(KUBELET, signal);
    assert.deepEqual(host.said, ['arm', 'stop kubelet.service']);
    assert.deepEqual(host.armed, ['kubelet.service']);
    await services.stop(KUBELET, signal);
    assert.equal(host.said.length, 2);
    await services.renew(KUBELET, signal);
    assert.equal(host.said.at(-1), `restart ${nameOf(KUBELET)}.timer`);
    await services.start(KUBELET, signal);
    assert.deepEqual([host.units.get('kubelet.service'), host.armed], ['active', undefined]);
    await services.start(KUBELET, signal);
    assert.equal(host.units.get('kubelet.service'), 'active');
  });

  test('a socket comes back before its service, and only if it listened', async () => {
    const both = new Host({ 'docker.service': 'active', 'docker.socket': 'active' });
    await systemdServices(both.run).stop(DOCKER, signal);
    assert.deepEqual(both.said, ['arm', 'stop docker.socket docker.service']);
    assert.deepEqual(both.armed, ['docker.service', 'docker.socket']);
    await systemdServices(both.run).start(DOCKER, signal);
    assert.deepEqual([...both.units.values()], ['active', 'active']);
    const alone = new Host({ 'docker.service': 'active', 'docker.socket': 'inactive' });
    await systemdServices(alone.run).stop(DOCKER, signal);
    await systemdServices(alone.run).start(DOCKER, signal);
    assert.deepEqual([...alone.units.values()], ['active', 'inactive']);
  });

  test('a service that is not there is refused before anything is touched', async () => {
    const host = new Host({});
    await assert.rejects(systemdServices(host.run).stop(KUBELET, signal), (error: unknown) => {
      assert.ok(error instanceof NodeError);
      assert.match(error.message, /cannot stop kubelet on node node-1: there is no unit kubelet.service/);
      return true;
    });
    await systemdServices(host.run).start(KUBELET, signal);
    assert.deepEqual(host.said, []);
  });

  test('a host without systemd is refused, and has nothing to be started', async () => {
    const run = () => Promise.reject(new NodeCommandError('systemctl show ended with exit code 1'));
    await assert.rejects(systemdServices(run).stop(KUBELET, signal), /it is not run by systemd/);
    await systemdServices(run).start(KUBELET, signal);
  });

  test('the timer is a transient one of this injection', () => {
    const words = armCommand(KUBELET, ['kubelet.service']);
    assert.deepEqual(words.slice(0, 3), ['systemd-run', '--quiet', `--unit=${nameOf(KUBELET)}`]);
    assert.ok(words.includes('--on-active=30s'));
    assert.match(nameOf(KUBELET), /^turnsole-[0-9a-f]{12}$/);
    assert.notEqual(nameOf(KUBELET), nameOf({ id: 'another' }));
  });
});

test('the services of an embedded node are its machine’s', async () => {
  const orders: (readonly [string, MachineOrder])[] = [];
  const services = embeddedServices((node, order) => {
    orders.push([node, order]);
    return Promise.resolve();
  });
  await services.stop(KUBELET, signal);
  await services.stop(DOCKER, signal);
  await services.renew(KUBELET, signal);
  await services.start(KUBELET, signal);
  assert.deepEqual(
    orders.map(([, order]) => order),
    [
      { mode: 'stopped', seconds: 30 },
      { mode: 'runtime-stopped', seconds: 30 },
      { mode: 'stopped', seconds: 30 },
      { mode: 'running' },
    ],
  );
});
