import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLObjectType,
  isIntrospectionType,
  isSpecifiedScalarType,
  validateSchema,
} from 'graphql';
import { generatedFiles } from './generate.ts';
import { SCHEMA_TEXT } from './generated/schema.ts';
import { controlPlaneSchema } from './load.ts';
import { coordinatesOf, outermost } from './testing/coordinates.ts';
import { recordedLines, recordedSchema } from './testing/recorded.ts';

/** What ChaosCenter names and we leave out: no operation leads to it. */
const LEFT_OUT = [
  '@authorized',
  'CMDProbeRequest',
  'CloningInput',
  'ExperimentDetails',
  'FileType',
  'HTTPProbeRequest',
  'ImagePullPolicy',
  'Invitation',
  'MemberRole',
  'NewInfraEventRequest',
  'ProbeStatus',
  'StopExperimentRunsRequest',
];

/** What has another type than in ChaosCenter. */
const CHANGED = ['ExecutedByExperiment.updatedAt changed type from Int! to Float!.'];

const ours = controlPlaneSchema();
const upstream = recordedSchema();

test('the generated files are those of the schema files as they are now', async () => {
  for (const { path, content } of await generatedFiles()) {
    const stored = readFileSync(new URL(path, import.meta.url), 'utf8');
    assert.equal(stored, content, `${path} is stale: run npm run generate`);
  }
});

test('the text is a valid schema', () => {
  assert.deepEqual(validateSchema(buildSchema(SCHEMA_TEXT)), []);
});

test('the schema is built once', () => {
  assert.equal(controlPlaneSchema(), ours);
});

test('every operation of ChaosCenter is there, with its kind, its arguments and its result', () => {
  const recorded = recordedLines('operations.txt');
  const kinds = {
    query: ours.getQueryType(),
    mutation: ours.getMutationType(),
    subscription: ours.getSubscriptionType(),
  };
  const present = Object.entries(kinds).flatMap(([kind, type]) => operationsOf(kind, type));
  assert.equal(recorded.length, 71);
  assert.deepEqual(
    recorded.filter((line) => !present.includes(line)),
    [],
  );
});

/** Operations without arguments of ours, as lines such as `query getProbe(projectID: ID!, probeName: ID!): Probe!`. */
function operationsOf(kind: string, root: GraphQLObjectType | null | undefined): string[] {
  const additions = recordedLines('additions.txt');
  return Object.values(root?.getFields() ?? {}).map(({ name, args, type }) => {
    const theirs = args.filter((argument) => !additions.includes(`${root}.${name}(${argument.name}:)`));
    const list = theirs.map((argument) => `${argument.name}: ${argument.type}`).join(', ');
    return `${kind} ${name}${list === '' ? '' : `(${list})`}: ${type}`;
  });
}

test('what ChaosCenter does not have is listed as ours, and nothing else is', () => {
  const known = coordinatesOf(upstream);
  const added = [...coordinatesOf(ours)].filter((coordinate) => !known.has(coordinate));
  assert.deepEqual(outermost(added).toSorted(), recordedLines('additions.txt'));
});

test('what ChaosCenter has is there, but for what no operation leads to', () => {
  const present = coordinatesOf(ours);
  const missing = [...coordinatesOf(upstream)].filter((coordinate) => !present.has(coordinate));
  assert.deepEqual(outermost(missing).toSorted(), LEFT_OUT);
});

test('clients of ChaosCenter find the types they know', () => {
  const changes = findBreakingChanges(upstream, ours).map(({ description }) => description);
  assert.deepEqual(
    changes.filter((description) => !description.endsWith('was removed.')),
    CHANGED,
  );
});

test('every type and every operation says what it is', () => {
  const types = Object.values(ours.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const roots = [ours.getQueryType(), ours.getMutationType(), ours.getSubscriptionType()];
  const operations = roots.flatMap((root) => Object.values(root?.getFields() ?? {}));
  const silent = [...types, ...operations].filter(({ description }) => (description ?? '') === '');
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  );
});
