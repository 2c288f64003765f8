import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChaosEngine } from '../../api/index.ts';
import { CommandError, type InputProblem } from '../errors.ts';
import { loadFaults } from '../install/load-faults.ts';
import { compileInstallSettings } from '../install/settings.ts';
import { parseManifests } from '../manifests/load.ts';
import { checkManifests } from '../manifests/validate.ts';
import { type Application, applicationOf } from './application.ts';
import { parseTolerance, proposeCheck, urlProblem } from './check.ts';
import { type ProposalRequest, propose } from './propose.ts';
import { parseTarget } from './target.ts';

const APPLICATION = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: api }
spec:
  template:
    metadata: { labels: { app: api } }
    spec:
      containers:
        - name: api
          image: shop/api
          ports: [{ name: main, containerPort: 9000 }]
          readinessProbe: { httpGet: { path: ready, port: main } }
---
apiVersion: v1
kind: Service
metadata: { name: front }
spec: { selector: { app: api }, ports: [{ port: 81, targetPort: 1 }, { port: 82, targetPort: 9000 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db, namespace: data }
spec: { template: { metadata: { labels: { app: db } } } }
---
apiVersion: v1
kind: Service
metadata: { name: db, namespace: data }
spec: { selector: { app: db }, ports: [{ port: 5432 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: page }
spec:
  template:
    metadata: { labels: { app: page } }
    spec:
      containers:
        - name: page
          image: shop/page
          env: [{ name: CACHE, value: 'redis://cache:6379/0' }, { name: OTHER, value: my-sessions:1 }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: redis }
spec: { template: { metadata: { labels: { app: redis } } } }
---
apiVersion: v1
kind: Service
metadata: { name: cache }
spec: { selector: { app: redis }, ports: [{ port: 6379 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: sessions }
spec: { template: { metadata: { labels: { app: sessions } } } }
---
apiVersion: v1
kind: Service
metadata: { name: sessions }
spec: { selector: { app: sessions }, ports: [{ port: 6379 }] }
---
apiVersion: v1
kind: Service
metadata: { name: page }
spec: { selector: { app: page }, ports: [{ name: http, port: 8123 }] }
`;

const objects = read(APPLICATION);
const application = applicationOf(objects, 'default');
const { settings: install } = compileInstallSettings({}, { version: '1.2.3', faults: [] });

function read(text: string) {
  const problems: InputProblem[] = [];
  const manifests = parseManifests('x.yaml', text, problems);
  assert.deepEqual(problems, []);
  assert.deepEqual(checkManifests(manifests).problems, []);
  return manifests.map(({ object }) => object);
}

async function proposed(fault: string, request: Partial<ProposalRequest> = {}, hasFault = false) {
  const [loaded] = await loadFaults([fault]);
  assert.ok(loaded);
  const whole = { fault: loaded, target: undefined, urls: undefined, settings: new Map(), ...request };
  return propose(whole, { application, namespace: 'default', hasFault, install });
}

function engineOf(text: string): ChaosEngine {
  return read(text).find(({ kind }) => kind === 'ChaosEngine') as ChaosEngine;
}

describe('the check that is proposed for a workload', () => {
  const cases: [name: string, url: string | undefined][] = [
    ['api', 'http://front.default.svc.cluster.local:82/ready'],
    ['page', 'http://page.default.svc.cluster.local:8123/'],
    ['db', undefined],
    // That of page, which has its Service in a variable.
    ['redis', 'http://page.default.svc.cluster.local:8123/'],
    // A longer name is another one.
    ['sessions', undefined],
  ];
  for (const [name, url] of cases)
    it(`${name}: ${url ?? 'none, as nothing says that it or what names it speaks HTTP'}`, () => {
      const workload = application.workloads.find((one) => one.name === name);
      assert.ok(workload);
      assert.equal(proposeCheck(workload, application)?.url, url);
    });
});

describe('the port that is proposed for a workload', () => {
  const from = (from: number, to = from) =>
    new Map([['shop/a', { ports: [{ from, to }], source: 'Dockerfile' }]]);
  const cases: readonly [
    name: string,
    ports: string,
    exposed: Application['exposed'],
    port: number | undefined,
  ][] = [
    ['of no name', '[{ port: 9300 }]', undefined, undefined],
    ['that is exposed', '[{ port: 9300 }, { port: 9301 }]', from(9301), 9301],
    ['that leads to one in an exposed range', '[{ port: 81, targetPort: 9305 }]', from(9300, 9310), 81],
    ['that is exposed, and no HTTP', '[{ port: 5432 }]', from(5432), undefined],
    ['of another protocol', '[{ port: 8080, protocol: UDP }]', from(8080), undefined],
    [
      'that looks like HTTP, before one that is exposed only',
      '[{ port: 9300 }, { port: 8080 }]',
      from(9300),
      8080,
    ],
    ['that is exposed of two that look like HTTP', '[{ port: 8080 }, { port: 3000 }]', from(3000), 3000],
    ['that leads to one with the name of HTTP', '[{ port: 9300, targetPort: http-main }]', undefined, 9300],
  ];
  for (const [name, ports, exposed, port] of cases)
    it(name, () => {
      const text = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: a }
spec: { template: { metadata: { labels: { app: a } }, spec: { containers: [{ name: a, image: shop/a }] } } }
---
apiVersion: v1
kind: Service
metadata: { name: a }
spec: { selector: { app: a }, ports: ${ports} }`;
      const found = applicationOf(read(text), 'default');
      const [workload] = found.workloads;
      assert.ok(workload);
      const check = proposeCheck(workload, { ...found, ...(exposed !== undefined && { exposed }) });
      const wanted = port === undefined ? undefined : `http://a.default.svc.cluster.local:${port}/`;
      assert.equal(check?.url, wanted);
    });
});

describe('an experiment from options', () => {
  it('has the fault with its account, and an engine that is valid', async () => {
    const { text, name, notes } = await proposed('pod-delete', {
      target: parseTarget('deploy/api'),
      settings: new Map([['TOTAL_CHAOS_DURATION', '7']]),
    });
    assert.equal(name, 'api-pod-delete');
    assert.deepEqual(
      read(text).map(({ kind }) => kind),
      ['ServiceAccount', 'Role', 'RoleBinding', 'ChaosExperiment', 'ChaosEngine'],
    );
    const { spec } = engineOf(text);
    assert.deepEqual(spec.selectors, {
      workloads: [{ kind: 'deployment', namespace: 'default', names: 'api' }],
    });
    const [entry] = spec.experiments;
    assert.deepEqual(entry?.spec?.components?.env, [{ name: 'TOTAL_CHAOS_DURATION', value: '7' }]);
    assert.equal(entry?.spec?.probe?.[0]?.name, 'front-answers');
    assert.match(notes.join(), /no --probe was given.*front\.default.*readiness probe.*--no-probe/);
  });

  it('does not make a fault that is there, and carries no label of an installation', async () => {
    const { text } = await proposed('pod-delete', { target: parseTarget('deployment/api') }, true);
    assert.deepEqual(
      read(text).map(({ kind }) => kind),
      ['ChaosEngine'],
    );
    const whole = await proposed('pod-delete', { target: parseTarget('deployment/api') });
    assert.doesNotMatch(whole.text, /turnsole\.io\/installation|managed-by/);
  });

  it('asks what the user names: each by a probe of its own, by a load at a rate, within limits, or nothing', async () => {
    const target = parseTarget('deployment/api');
    const urls = ['http://api:8080/', 'https://api:8443/b'];
    const two = await proposed('pod-delete', { target, urls });
    assert.deepEqual(
      engineOf(two.text).spec.experiments[0]?.spec?.probe?.map((probe) => probe.name),
      ['api-answers', 'api-answers-2'],
    );
    assert.deepEqual(two.notes, []);
    const load = await proposed('pod-delete', { target, rate: 20, tolerance: parseTolerance('1%, 2s') });
    const [probe] = engineOf(load.text).spec.experiments[0]?.spec?.probe ?? [];
    assert.equal(probe?.['loadProbe/inputs']?.rate, 20);
    assert.deepEqual(probe.tolerance, { failed: '1%', outage: '2s' });
    const none = await proposed('pod-delete', { target, urls: 'none' });
    assert.equal(engineOf(none.text).spec.experiments[0]?.spec?.probe, undefined);
    assert.deepEqual(none.notes, []);
  });

  it('says when it knows nothing to ask', async () => {
    const pod = await proposed('pod-delete', { target: parseTarget('pod/api-1') });
    assert.match(pod.notes.join(), /no Service with HTTP of pod\/api-1/);
    assert.deepEqual(engineOf(pod.text).spec.selectors, { pods: [{ namespace: 'default', names: 'api-1' }] });
  });

  it('aims at nodes by the variable of the fault', async () => {
    const one = await proposed('node-drain', { target: parseTarget('node/turnsole-1') });
    const env = engineOf(one.text).spec.experiments[0]?.spec?.components?.env;
    assert.deepEqual(env, [{ name: 'TARGET_NODE', value: 'turnsole-1' }]);
    assert.equal(engineOf(one.text).spec.selectors, undefined);
    const several = await proposed('node-cpu-hog', { target: parseTarget('node/turnsole-1') });
    assert.match(several.text, /TARGET_NODES/);
  });

  const refusals: [fault: string, request: Partial<ProposalRequest>, message: RegExp][] = [
    ['pod-delete', {}, /pod-delete needs --target/],
    ['pod-delete', { target: parseTarget('node/a') }, /does not hit nodes/],
    ['node-cpu-hog', { target: parseTarget('deployment/api') }, /hits nodes/],
    ['pod-autoscaler', { target: parseTarget('daemonset/api') }, /hits deployments and stateful sets/],
    ['redfish-node-restart', { target: parseTarget('node/a') }, /leave out --target/],
    [
      'pod-delete',
      { target: parseTarget('deployment/apo') },
      /no deployment\/apo in namespace default; there is deployment\/api, deployment\/page, /,
    ],
    ['pod-delete', { target: parseTarget('deployment/api'), urls: ['api:8080'] }, /expected a URL/],
    [
      'pod-delete',
      { target: parseTarget('deployment/api'), urls: ['http://127.0.0.1:80/'] },
      /--probe http:\/\/127.0.0.1:80\/: 127.0.0.1 is the pod in which the probe runs/,
    ],
    [
      'pod-delete',
      { target: parseTarget('deployment/api'), settings: new Map([['TOTAL_CHAOS_DURATON', '3']]) },
      /--set TOTAL_CHAOS_DURATON: no setting of pod-delete; did you mean TOTAL_CHAOS_DURATION\?/,
    ],
    ['pod-delete', { target: parseTarget('pod/x'), rate: 5 }, /--rate and --tolerance are about a URL/],
  ];
  for (const [fault, request, message] of refusals)
    it(`refuses ${message.source}`, async () => {
      await assert.rejects(proposed(fault, request), (error) => {
        assert.ok(error instanceof CommandError);
        assert.match(error.message, message);
        assert.equal(error.exitCode, 2);
        return true;
      });
    });
});

describe('words of options', () => {
  const targets: [text: string, read: string | RegExp][] = [
    ['deployment/api', 'deployment/api'],
    ['sts/db.one', 'statefulset/db.one'],
    ['Deployment/api', 'deployment/api'],
    ['deploiment/api', /did you mean deployment\/api/],
    ['api', /expected KIND\/NAME/],
    ['deployment/', /expected KIND\/NAME/],
    ['deployment/API', /expected KIND\/NAME/],
    ['deployment/a/b', /expected KIND\/NAME/],
    ['constructor/a', /expected KIND\/NAME/],
  ];
  for (const [text, found] of targets)
    it(`--target ${text}`, () => {
      if (found instanceof RegExp) return assert.throws(() => parseTarget(text), found);
      const { kind, name } = parseTarget(text);
      assert.equal(`${kind}/${name}`, found);
    });

  const tolerances: [text: string, read: object | undefined][] = [
    ['1%', { failed: '1%' }],
    ['2s', { outage: '2s' }],
    ['500ms,0.5%', { failed: '0.5%', outage: '500ms' }],
    ['1', undefined],
    ['', undefined],
    ['1%,2%', undefined],
    ['1s,2s', undefined],
    ['much', undefined],
  ];
  for (const [text, found] of tolerances)
    it(`--tolerance "${text}"`, () => {
      if (found === undefined) assert.throws(() => parseTolerance(text), /expected a share/);
      else assert.deepEqual(parseTolerance(text), found);
    });

  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', '0.0.0.0'])
    it(`${host} is no address of an application`, () => {
      assert.match(urlProblem(`http://${host}:80/`) ?? '', /is the pod in which the probe runs/);
    });
  it('localhost.example is one', () => assert.equal(urlProblem('http://localhost.example/'), undefined));
});
