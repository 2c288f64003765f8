/** What keeps one experiment from being run, through operator, runner and API server: it is skipped, and the next one runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import {
  engineOf,
  NAMESPACE,
  type StandInCluster,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import type { ChaosEngine, EngineExperiment, ExperimentDefinition } from '../../api/index.ts';

const DATA = { name: 'with-data', mountPath: '/x', data: { key: 'value' } };

interface Case {
  readonly name: string;
  readonly definition?: Partial<ExperimentDefinition>;
  readonly components?: NonNullable<EngineExperiment['spec']>['components'];
  readonly reason: string;
  readonly message: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'no-secret',
    definition: { secrets: [{ name: 'nowhere', mountPath: '/s' }] },
    reason: 'ExperimentDependencyCheck',
    message: /secret default\/nowhere not found; create it/,
  },
  {
    name: 'no-config-map',
    components: { configMaps: [{ name: 'nowhere', mountPath: '/s' }] },
    reason: 'ExperimentDependencyCheck',
    message: /config map default\/nowhere not found; create it, or give its content under data/,
  },
  {
    name: 'half-a-secret',
    definition: { secrets: [{ name: 'keys' }] },
    reason: 'ExperimentDependencyCheck',
    message: /spec\.definition\.secrets\[0\]\.mountPath: Required value/,
  },
  {
    name: 'half-a-host-file',
    definition: { hostFileVolumes: [{ name: 'h', mountPath: '/h' }] },
    reason: 'ExperimentDependencyCheck',
    message: /spec\.definition\.hostFileVolumes\[0\]\.nodePath: Required value/,
  },
  {
    name: 'no-image',
    definition: { image: '' },
    reason: 'ExperimentDependencyCheck',
    message: /spec\.definition\.image: Required value; or set experimentImage in the engine/,
  },
  {
    name: 'no-name',
    definition: { env: [{ name: '', value: 'x' }] },
    reason: 'EnvParseError',
    message: /spec\.definition\.env\[0\]\.name: Required value/,
  },
];

const summary = ({ status }: ChaosEngine): string[] =>
  (status?.experiments ?? []).map(
    ({ name, status: word, verdict, experimentPod }) => `${name}: ${word}, ${verdict}, ${experimentPod}`,
  );

test('skipped: every cause has its Warning Event, its reason in the status, and does not stop the next', async (context) => {
  // The API server would refuse what an older, laxer definition lets through.
  const cluster = await startStandIn(context, { runnerClient: (client) => lax(client) });
  for (const { name, definition = {} } of CASES) {
    const { env, ...rest } = definition;
    await cluster.experiment(name, rest);
  }
  await cluster.experiment('good');
  const engine = engineOf('web', []);
  const experiments = [
    ...CASES.map(({ name, components }) => ({
      name,
      ...(components === undefined ? {} : { spec: { components } }),
    })),
    { name: 'good' },
  ];
  await cluster.apply({ ...engine, spec: { ...engine.spec, experiments } });
  const ended = await cluster.ended('web', 'completed');
  assert.deepEqual(
    summary(ended).slice(0, -1),
    CASES.map(({ name }) => `${name}: Skipped, Fail, N/A`),
  );
  assert.match(summary(ended).at(-1) ?? '', /^good: Completed, Pass, good-\w{6}-/);
  const events = await cluster.events('web', 'ExperimentJobCleanUp');
  for (const [index, { name, reason, message }] of CASES.entries()) {
    assert.match(ended.status?.experiments?.[index]?.reason ?? '', message);
    const start = `web-runner ${reason}: Experiment Job creation failed, skipping Chaos Experiment: ${name}: `;
    const event = events.find((text) => text.startsWith(start));
    assert.match(event ?? '', message, events.join('\n'));
  }
});

/** Gives the definition of `no-name` an entry that our own CRD refuses. */
function lax(client: KubeClient): KubeClient {
  return new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property !== 'find') return value.bind(target);
      return async (...parameters: unknown[]): Promise<unknown> => {
        const found: unknown = await Reflect.apply(value, target, parameters);
        if (parameters[1] !== 'no-name') return found;
        // A ChaosExperiment, as that is what has this name.
        const copy = structuredClone(found) as { spec: { definition: ExperimentDefinition } };
        copy.spec.definition = { ...copy.spec.definition, env: [{ name: '', value: 'x' }] };
        return copy;
      };
    },
  });
}

test('sidecars: an incomplete one is found with the engine, before anything is started', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  const engine = engineOf('web', ['pod-delete'], {
    components: { sidecar: [{ image: 'side:1', secrets: [{ name: 'keys' }] }] },
  });
  const annotations = { 'sidecar/enabled': 'true' };
  await cluster.apply({ ...engine, metadata: { ...engine.metadata, annotations } });
  const stopped = await cluster.ended('web', 'stopped');
  assert.match(
    stopped.status?.conditions?.[0]?.message ?? '',
    /^spec\.components\.sidecar\[0\]\.secrets\[0\]\.mountPath: Required value/,
  );
});

const verdicts = ({ status }: ChaosEngine): (string | undefined)[] =>
  (status?.experiments ?? []).map(({ verdict }) => verdict);

/** Refuses requests of the runner as an account of a chart is refused them. */
function forbidding(client: KubeClient, method: 'find' | 'create', plural: string): KubeClient {
  return new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        const [resource] = parameters;
        if (
          property === method &&
          typeof resource === 'object' &&
          resource !== null &&
          'plural' in resource
        ) {
          if (resource.plural === plural) {
            throw new ApiError(`${method} ${plural}`, 403, { code: 403, reason: 'Forbidden', message: 'no' });
          }
        }
        return Reflect.apply(value, target, parameters);
      };
    },
  });
}

async function runOne(
  cluster: StandInCluster,
  definition: Partial<ExperimentDefinition>,
): Promise<ChaosEngine> {
  await cluster.experiment('pod-delete', definition);
  await cluster.apply(engineOf('web', ['pod-delete']));
  return cluster.ended('web', 'completed');
}

test('dependencies: a secret that may not be read counts as there', async (context) => {
  const runnerClient = (client: KubeClient): KubeClient => forbidding(client, 'find', SECRETS.plural);
  const cluster = await startStandIn(context, { runnerClient });
  const engine = await runOne(cluster, { secrets: [{ name: 'nowhere', mountPath: '/s' }] });
  assert.deepEqual(verdicts(engine), ['Pass']);
});

test('dependencies: a config map that may not be made says what to grant', async (context) => {
  const runnerClient = (client: KubeClient): KubeClient => forbidding(client, 'create', CONFIG_MAPS.plural);
  const cluster = await startStandIn(context, { runnerClient });
  const engine = await runOne(cluster, { configMaps: [DATA] });
  assert.deepEqual(verdicts(engine), ['Fail']);
  assert.match(
    engine.status?.experiments?.[0]?.reason ?? '',
    /may not create it; create it yourself or grant configmaps create/,
  );
});

test('dependencies: a config map that is there stays as it is, whatever data the engine gives', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.client.create<ConfigMap>(
    CONFIG_MAPS,
    { metadata: { name: 'with-data' }, data: { key: 'of somebody' } },
    { namespace: NAMESPACE },
  );
  assert.deepEqual(verdicts(await runOne(cluster, { configMaps: [DATA] })), ['Pass']);
  const kept = await cluster.client.get<ConfigMap>(CONFIG_MAPS, 'with-data', { namespace: NAMESPACE });
  assert.deepEqual([kept.data, kept.metadata.ownerReferences], [{ key: 'of somebody' }, undefined]);
});
