import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { suggest } from '@turnsole/kube/schema/suggest';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { PROJECT_SCHEMA } from '../../api/project.ts';
import { KIND_EXAMPLES, PROBE_EXAMPLES } from './examples.ts';

/** A part of the language of experiments. */
export interface Topic {
  /** Where it stands: `ChaosEngine.spec.experiments.spec.probe.httpProbe/inputs`. */
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly example?: string;
}

/** A field of a topic. */
interface ShownField {
  /** From the topic on: `method.get.criteria`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

const PROBE = 'chaosengine.spec.experiments.spec.probe';

/** Short names of what people ask for, as they are written, by their place; asked for in any case of letters. */
const SHORT: Readonly<Record<string, string>> = {
  probe: PROBE,
  probes: PROBE,
  ...Object.fromEntries(Object.keys(PROBE_EXAMPLES).map((type) => [type, `${PROBE}.${type}/inputs`])),
  mode: `${PROBE}.mode`,
  modes: `${PROBE}.mode`,
  runProperties: `${PROBE}.runProperties`,
  tolerance: `${PROBE}.tolerance`,
  engine: 'chaosengine',
  engines: 'chaosengine',
  experiment: 'chaosexperiment',
  result: 'chaosresult',
  schedule: 'chaosschedule',
  selectors: 'chaosengine.spec.selectors',
  appinfo: 'chaosengine.spec.appinfo',
  execution: 'chaosengine.spec.execution',
  verdict: 'chaosresult.status.experimentStatus.verdict',
  verdicts: 'chaosresult.status.experimentStatus.verdict',
  'turnsole.yaml': 'project',
};

const PLACES: ReadonlyMap<string, string> = new Map(
  Object.entries(SHORT).map(([name, place]) => [name.toLowerCase(), place]),
);

/** The kinds, and the file of a project, by their names in lower case. */
const ROOTS: ReadonlyMap<string, { readonly title: string; readonly schema: StructuralSchema }> = new Map([
  ...CUSTOM_RESOURCES.map(
    ({ resource: { kind }, schema }) => [kind.toLowerCase(), { title: kind, schema }] as const,
  ),
  ['project', { title: 'turnsole.yaml', schema: PROJECT_SCHEMA }],
]);

/** The words that `turnsole explain` knows without a dot, as they are written. */
export function topicNames(): string[] {
  const roots = [...ROOTS.values()].map(({ title }) => title);
  return [...new Set([...roots, ...Object.keys(SHORT)])].toSorted((a, b) => a.localeCompare(b, 'en'));
}

/**
 * Finds what a text such as `httpProbe`, `ChaosEngine.spec` or `runProperties.attempt` means. Pure.
 *
 * @throws RangeError with what was probably meant
 */
export function findTopic(text: string): Topic {
  const [first = '', ...rest] = text.replaceAll(/\[\d*\]/g, '').split('.');
  const whole = text.toLowerCase();
  // The name of the file has a dot itself.
  const isWhole = PLACES.has(whole);
  const short = isWhole ? PLACES.get(whole) : PLACES.get(first.toLowerCase());
  const words = short === undefined ? [first, ...rest] : [...short.split('.'), ...(isWhole ? [] : rest)];
  const [root = '', ...fields] = words;
  const found = ROOTS.get(root.toLowerCase());
  if (found === undefined) {
    const near = suggest(first, topicNames());
    throw new RangeError(
      `nothing is known of ${first}; ${near === undefined ? `there is ${topicNames().join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  let { schema } = found;
  const path = [found.title];
  for (const field of fields) {
    const properties = partOf(schema).properties ?? {};
    const name = Object.keys(properties).find((one) => one.toLowerCase() === field.toLowerCase());
    const next = name === undefined ? undefined : properties[name];
    if (name === undefined || next === undefined) {
      const near = suggest(field, Object.keys(properties));
      const known = Object.keys(properties).join(', ');
      throw new RangeError(
        `${path.join('.')} has no field ${field}; ${near === undefined ? (known === '' ? 'it has none that are described' : `it has ${known}`) : `did you mean ${near}?`}`,
      );
    }
    path.push(name);
    schema = next;
  }
  const example = exampleOf(path);
  return { path: path.join('.'), schema, ...(example !== undefined && { example }) };
}

function exampleOf(path: readonly string[]): string | undefined {
  const [kind = ''] = path;
  if (path.length === 1) return (KIND_EXAMPLES as Readonly<Record<string, string>>)[kind];
  const type = path.at(-1)?.replace('/inputs', '') ?? '';
  return path.includes('probe') ? (PROBE_EXAMPLES as Readonly<Record<string, string>>)[type] : undefined;
}

/** The object of a schema: that of its items, where it is a list. */
function partOf(schema: StructuralSchema): StructuralSchema {
  return schema.items === undefined ? schema : partOf(schema.items);
}

/** How much of the fields below a schema is shown. */
interface FieldsOptions {
  /** Levels. */
  readonly depth: number;
  /** Fields that are shown without those below them: they are explained elsewhere. @default none */
  readonly closed?: readonly string[];
}

/** The fields below a schema, each level after the one that holds it. Pure. */
export function fieldsOf(schema: StructuralSchema, options: FieldsOptions, prefix = ''): ShownField[] {
  const { depth, closed = [] } = options;
  const { properties = {}, required = [] } = partOf(schema);
  return Object.entries(properties).flatMap(([field, below]): ShownField[] => {
    if (prefix === '' && ['apiVersion', 'kind', 'metadata'].includes(field)) return [];
    const name = `${prefix}${field}`;
    const own = {
      name,
      type: typeOf(below),
      isRequired: required.includes(field),
      description: descriptionOf(below),
    };
    const isOpen = depth > 1 && !closed.includes(name);
    return [own, ...(isOpen ? fieldsOf(below, { ...options, depth: depth - 1 }, `${name}.`) : [])];
  });
}

/** `text`, `list of objects`, `one of get, post`: the type as people say it. Pure. */
export function typeOf(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number or text';
  if (schema.items !== undefined) return `list of ${PLURALS[typeOf(schema.items)] ?? typeOf(schema.items)}`;
  if (schema.enum !== undefined) {
    const words = schema.enum.filter((word) => word !== '');
    return `one of ${words.join(', ')}`;
  }
  const { type = 'object', additionalProperties } = schema;
  if (type === 'object' && typeof additionalProperties === 'object') return 'map';
  return (
    { string: 'text', integer: 'whole number', number: 'number', boolean: 'true or false' }[type] ?? type
  );
}

const PLURALS: Readonly<Record<string, string>> = { text: 'texts', object: 'objects' };

function descriptionOf(schema: StructuralSchema): string {
  return schema.description ?? schema.items?.description ?? '';
}
