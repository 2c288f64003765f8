import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scene, SHOP } from '../experiment/testing/scene.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

function nested(open: string, close: string, levels: number, inside = '1'): string {
  return `${open.repeat(levels)}${inside}${close.repeat(levels)}`;
}

const ASK =
  'query ($p: ID!, $r: ListEnvironmentRequest) { listEnvironments(projectID: $p, request: $r) { totalNoOfEnvironments } }';
const aliases = Array.from(
  { length: 21 },
  (_, n) =>
    `a${n}: confirmInfraRegistration(request: { infraID: "x", version: "x", accessKey: "${n}" }) { isInfraConfirmed }`,
);
/** Each asks for the next one twice. */
const doubling = (count: number): string =>
  Array.from({ length: count }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`).join(' ');

/** Bodies of GraphQL requests, and what their answer says. */
const BODIES: readonly (readonly [what: string, body: string, status: number, says: RegExp])[] = [
  ...[
    [
      'lists in a document',
      `{ listProbes(projectID: "x", infrastructureType: ${nested('[', ']', 9_000)}) { name } }`,
    ],
    ['objects in a document', `{ listProbes(projectID: ${nested('{a:', '}', 4_900)}) { name } }`],
    ['fields', nested('{a', '}', 6_000, '{a}')],
    ['inline fragments', nested('{...', '}', 6_000, '{a}')],
    ['types', `query ($a: ${nested('[', ']', 9_000, 'ID')}) { getServerVersion { key } }`],
  ].map(([what, query]) => [`deep ${what}`, JSON.stringify({ query }), 422, /nested too deep/] as const),
  [
    'fragments that double',
    JSON.stringify({
      query: `{ ...f0 } ${doubling(90)} fragment f90 on Query { getServerVersion { key } }`,
    }),
    422,
    /more than 1500 fields/,
  ],
  [
    'many fragments',
    JSON.stringify({ query: `{ ...f0 } ${doubling(1_500)}` }),
    422,
    /1501 operations and fragments; 100 are allowed/,
  ],
  [
    'keys guessed by aliases',
    JSON.stringify({ query: `mutation { ${aliases.join(' ')} }` }),
    422,
    /21 operations at once/,
  ],
  ['a batch', JSON.stringify([{ query: '{ getServerVersion { key } }' }]), 400, /no JSON object/],
  [
    'deep variables',
    `{"query":"${ASK}","variables":{"p":"x","r":{"environmentIDs":${nested('[', ']', 1_000_000)}}}}`,
    422,
    /ID cannot represent/,
  ],
  [
    'a prototype in variables',
    '{"query":"{ getServerVersion { key } }","variables":{"__proto__":{"a":1}}}',
    400,
    /JSON/,
  ],
];

/** Ten lists of ten lists of …: small as text, large as a value. */
const BOMB = [
  'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
  ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(',')}]`),
].join('\n');

const workflow = JSON.parse(SHOP);
const withSpec = (spec: object): string =>
  JSON.stringify({ ...workflow, spec: { ...workflow.spec, ...spec } });
const withArtifact = (data: string): string =>
  withSpec({
    templates: [
      ...workflow.spec.templates,
      { name: 'x', inputs: { artifacts: [{ name: 'y', path: '/a', raw: { data } }] } },
    ],
  });

/** Manifests that are refused. */
const REFUSED: Readonly<Record<string, string>> = {
  'aliases without end': `${BOMB}\nkind: Workflow\nmetadata: {name: shop}`,
  'deep JSON': withSpec({ arguments: 'DEEP' }).replace('"DEEP"', nested('{"a":', '}', 20_000)),
  'deep YAML': `kind: Workflow\nmetadata: {name: shop}\nspec: ${nested('[', ']', 50_000)}`,
  'a probe whose name is too long': SHOP.replace('web-answers', 'p'.repeat(300)),
  NUL: withSpec({ entrypoint: '\u0000' }),
  'a list': '[]',
  nothing: 'null',
  'aliases without end in an artifact': withArtifact(
    `${BOMB}\nkind: ChaosEngine\nmetadata: {generateName: x}`,
  ),
  'a deep artifact': withArtifact(
    `kind: ChaosEngine\nmetadata: {generateName: x}\nspec: ${nested('[', ']', 5_000)}`,
  ),
};

/** Manifests that are taken, and a part of what is kept: nothing in them is more than text. */
const KEPT: Readonly<Record<string, readonly [manifest: string, part: string]>> = {
  'a prototype': [
    SHOP.replace('{', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},'),
    '"__proto__":{"polluted":true}',
  ],
  'a tag that would be a function elsewhere': [
    'kind: Workflow\nmetadata: {name: shop}\nspec: !!js/function "function(){}"',
    '"spec":"function(){}"',
  ],
  templates: [
    withSpec({ entrypoint: '{{workflow.name}} {{=7*7}} {{{{x}}}}' }),
    '{{workflow.name}} {{=7*7}} {{{{x}}}}',
  ],
  'templates that are none': [
    withSpec({ templates: [null, 1, [], { inputs: { artifacts: [null, { raw: null }] } }] }),
    '[null,1,[]',
  ],
};

const SAVE =
  'mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }';
const GET =
  'query ($p: ID!) { getExperiment(projectID: $p, experimentID: "e") { experimentDetails { experimentManifest } } }';
const RUN = 'mutation ($p: ID!) { runChaosExperiment(projectID: $p, experimentID: "e") { notifyID } }';

describeOnDatabases('documents and manifests that mean harm', (database) => {
  for (const [what, body, status, says] of BODIES) {
    test(`${what}: refused by a sentence`, async () => {
      const { server, owner } = await Scene.start(database);
      const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
      const reply = await server.app.inject({ method: 'POST', url: '/query', headers, payload: body });
      assert.equal(reply.statusCode, status, reply.body);
      assert.match(reply.body, says);
    });
  }

  test('an agent’s run with an ID that no index takes is refused: chaosExperimentRun', async () => {
    const scene = await Scene.start(database);
    await scene.save('e');
    const { errors } = await scene.report({ experimentID: 'e', runID: 'u'.repeat(300) });
    assert.match(errors[0]?.message ?? '', /experimentRunID is longer than 254 characters/);
  });

  test('manifests are refused: saveChaosExperiment', async () => {
    const scene = await Scene.start(database);
    for (const [what, manifest] of Object.entries(REFUSED)) {
      const r = { id: 'e', name: 'shop', description: '', manifest, infraID: scene.agent.infraID };
      const { errors } = await scene.server.graphql(SAVE, { p: scene.project, r }, scene.owner);
      assert.equal(errors[0]?.extensions?.code, 'invalid', `${what}: ${JSON.stringify(errors)}`);
    }
  });

  test('what is taken stays text: saveChaosExperiment, getExperiment, runChaosExperiment', async () => {
    for (const [what, [manifest, part]] of Object.entries(KEPT)) {
      const scene = await Scene.start(database);
      await scene.save('e', { manifest });
      const { experimentDetails } = (await scene.data(GET)).getExperiment as {
        experimentDetails: { experimentManifest: string };
      };
      assert.ok(
        experimentDetails.experimentManifest.includes(part),
        `${what}: ${experimentDetails.experimentManifest}`,
      );
      await scene.data(RUN);
      const [order] = await scene.orders();
      assert.ok(order?.manifest.includes(part), `${what}: ${order?.manifest}`);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    }
  });
});
