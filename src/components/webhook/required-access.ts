import { isOfCluster } from '@turnsole/kube/client/access-review';
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import type { ChaosEngine } from '../../api/index.ts';
import { targetsOfEngine } from '../../chaos/engine-targets.ts';

/** Something that the creator of an engine must be allowed to do. */
export interface RequiredAccess {
  /** Undefined: in all namespaces, or on what belongs to none. */
  readonly namespace: string | undefined;
  readonly group: string;
  /** With its subresource: `pods/eviction`. */
  readonly resource: string;
  readonly verb: string;
  /** Why, for the message: `pod-delete`. */
  readonly because: string;
}

/** Facts about the experiments of an engine. */
export interface ExperimentAccess {
  readonly name: string;
  /** What its fault does, by the fault itself or by its ChaosExperiment. */
  readonly permissions: readonly PolicyRule[];
}

/** Looking is no harm, and every experiment looks at more than its targets. */
const READING = new Set(['get', 'list', 'watch']);

/**
 * What the chaos of an engine does to its targets. Its creator must be allowed to do the same: else an engine would be
 * a way around one's own permissions. Pure.
 */
export function requiredAccess(
  engine: ChaosEngine,
  experiments: readonly ExperimentAccess[],
): RequiredAccess[] {
  const home = engine.metadata.namespace ?? '';
  const needed = new Map<string, RequiredAccess>();
  const add = (access: RequiredAccess): void => {
    const { namespace = '*', group, resource, verb } = access;
    const key = [namespace, group, resource, verb].join(' ');
    if (!needed.has(key)) needed.set(key, access);
  };
  for (const { name, permissions } of experiments) {
    for (const namespace of targetNamespaces(engine, name)) {
      for (const { group, resource, verb } of changes(permissions)) {
        const place = isOfCluster(resource) ? undefined : namespace;
        add({ namespace: place, group, resource, verb, because: name });
      }
    }
  }
  const own = ownCode(engine);
  if (own !== undefined) add({ ...CREATE_PODS, namespace: home, because: own });
  return [...needed.values()];
}

/** Running code of one's own under the service accounts of a namespace is what creating pods is. */
export const CREATE_PODS = { group: '', resource: 'pods', verb: 'create' } as const;

function changes(permissions: readonly PolicyRule[]): { group: string; resource: string; verb: string }[] {
  return permissions.flatMap(({ apiGroups = [''], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.filter((verb) => !READING.has(verb)).map((verb) => ({ group, resource, verb })),
      ),
    ),
  );
}

/** Namespaces that an experiment of the engine acts in; undefined among them means any. */
function targetNamespaces(engine: ChaosEngine, experiment: string): Set<string | undefined> {
  const home = engine.metadata.namespace ?? '';
  const entries = engine.spec.experiments.filter(({ name }) => name === experiment);
  const variables = entries.flatMap(({ spec }) => spec?.components?.env ?? []);
  const texts = [
    targetsOfEngine(engine),
    ...variables.filter(({ name }) => name === 'TARGETS').map(({ value }) => value),
  ];
  const found = new Set<string | undefined>();
  for (const text of texts) {
    // A value from elsewhere can name any namespace.
    if (text === undefined || text === null) found.add(undefined);
    else for (const part of text.split(';')) found.add(part.split(':')[1]?.trim() || home);
  }
  return found;
}

/** The field with which an engine brings code of its own; undefined when it brings none. */
function ownCode({ spec }: ChaosEngine): string | undefined {
  const { runner, monitor, sidecar } = spec.components ?? {};
  if (runner?.image || (runner?.command ?? []).length > 0) return 'spec.components.runner';
  if (monitor?.image) return 'spec.components.monitor';
  if ((sidecar ?? []).length > 0) return 'spec.components.sidecar';
  const index = spec.experiments.findIndex((entry) => entry.spec?.components?.experimentImage);
  return index < 0 ? undefined : `spec.experiments[${index}].spec.components.experimentImage`;
}
