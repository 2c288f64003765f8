import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { defineKind } from '../kinds/define.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { KindRegistry } from '../registry/registry.ts';
import { column, NAME_COLUMN } from '../tables/column.ts';
import { CLEANUP_FINALIZER, definitionRules } from './rules.ts';

/** The kind CustomResourceDefinition itself. */
export function definitionKind(kinds: () => KindRegistry): KindDefinition {
  return defineKind(CUSTOM_RESOURCE_DEFINITIONS, {
    versions: ['v1'],
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    hasGeneration: true,
    hasStatus: true,
    deletionFinalizers: [CLEANUP_FINALIZER],
    columns: [
      NAME_COLUMN,
      column('Created At', ({ metadata }) => metadata.creationTimestamp ?? '', { type: 'date' }),
    ],
    rules: definitionRules(kinds),
  });
}
