import { isObject, textOf } from '@turnsole/kube/text/json';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';

/** The engine that a node makes, as its manifest says. */
export interface EngineReference {
  /** Empty where the server gives the name. */
  readonly name: string;
  readonly generateName: string;
  /** Empty: that of the workflow. */
  readonly namespace: string;
  /** Name of the first experiment; empty when it has none. */
  readonly experiment: string;
}

/** Manifests of engines that are larger than this are not read: none is. */
const MAX_MANIFEST_CHARACTERS = 256 * 1024;

/** The manifest that a node brings along, where it may be an engine: of a pod with one raw artifact. Pure. */
export function engineManifestOf({ type, inputs }: NodeStatus): string | undefined {
  if (type !== 'Pod') return undefined;
  const [artifact, second] = inputs?.artifacts ?? [];
  const data: unknown = second === undefined ? artifact?.raw?.data : undefined;
  // Most other manifests are recognised without a parser.
  if (typeof data !== 'string' || data.length > MAX_MANIFEST_CHARACTERS) return undefined;
  return data.includes('ChaosEngine') ? data : undefined;
}

/** The engine of a parsed manifest; undefined where it is something else. Pure. */
export function engineReferenceOf(manifest: unknown): EngineReference | undefined {
  if (!isObject(manifest) || manifest.kind !== 'ChaosEngine' || !isObject(manifest.metadata))
    return undefined;
  const { name, generateName, namespace } = manifest.metadata;
  const experiments = isObject(manifest.spec) ? manifest.spec.experiments : undefined;
  const first: unknown = Array.isArray(experiments) ? experiments[0] : undefined;
  return {
    name: textOf(name),
    generateName: textOf(generateName),
    namespace: textOf(namespace),
    experiment: isObject(first) ? textOf(first.name) : '',
  };
}
