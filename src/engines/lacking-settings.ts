import type { KubeClient } from '@turnsole/kube/client/types';
import { type KeptSettings, TIGHTENING_FLAGS } from '../chaos/run-record.ts';

const OPENAPI = '/openapi/v3/apis/litmuschaos.io/v1alpha1';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

/** The part of a schema that is read. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [PRESERVE]?: boolean;
}

/** Our settings of an engine that a server may prune, as paths below the object. */
const SETTINGS: readonly (readonly string[])[] = [
  ...TIGHTENING_FLAGS.map((flag) => ['spec', flag]),
  ['spec', 'execution'],
  ['spec', 'minimumCoverage'],
  ['spec', 'experiments', '[]', 'dependsOn'],
];

/** Whether a server with this schema stores a field: it is defined, or its parent keeps what it does not know. Pure. */
export function storesField(schema: Schema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  // Without a schema nothing is known, and nothing is pruned.
  if (schema === undefined) return true;
  const next = name === '[]' ? schema.items : schema.properties?.[name];
  if (next !== undefined) return storesField(next, rest);
  return schema[PRESERVE] === true || (name !== '[]' && schema.properties === undefined);
}

/**
 * The settings that the installed definition of ChaosEngines prunes, as `spec.experiments[].dependsOn`. Read from the API server's
 * OpenAPI document, which every account may read; empty without one.
 */
export async function lackingSettings(client: KubeClient, signal?: AbortSignal): Promise<string[]> {
  const document = await client
    .raw<{ components?: { schemas?: Readonly<Record<string, unknown>> } }>('GET', OPENAPI, undefined, {
      signal,
    })
    .catch(() => undefined);
  signal?.throwIfAborted();
  const engine = Object.values(document?.components?.schemas ?? {}).find(isEngine);
  if (engine === undefined) return [];
  return SETTINGS.filter((path) => !storesField(engine, path)).map(pathText);
}

/** Which of these settings are pruned. Pure. */
export function prunedOf(settings: KeptSettings, lacking: readonly string[]): string[] {
  const present: readonly string[] = Object.keys(settings);
  return SETTINGS.filter((path) => present.includes(path.at(-1) ?? ''))
    .map(pathText)
    .filter((text) => lacking.includes(text));
}

/** The message about pruned settings, and what to do. */
export function prunedText(paths: readonly string[]): string {
  return (
    `the installed definition of ChaosEngines is too old and drops ${paths.join(', ')}: the run would go without; replace it ` +
    'with "turnsole install", or leave the setting out'
  );
}

function isEngine(schema: unknown): schema is Schema {
  const kinds = (schema as { 'x-kubernetes-group-version-kind'?: readonly { kind?: string }[] })[
    'x-kubernetes-group-version-kind'
  ];
  return kinds?.some(({ kind }) => kind === 'ChaosEngine') === true;
}

function pathText(path: readonly string[]): string {
  return path.join('.').replaceAll('.[]', '[]');
}
