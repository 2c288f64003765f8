import { REVIEW_KINDS } from '../auth/reviews.ts';
import { defineKind } from './define.ts';
import type { KindDefinition } from './kind.ts';

/** Kinds that are answered and not stored, and the old form of bindings. */
export const VIRTUAL_KINDS: readonly KindDefinition[] = [
  ...REVIEW_KINDS.map((kind) => defineKind({ ...kind, versions: ['v1'], verbs: ['create'] })),
  defineKind({
    group: '',
    plural: 'bindings',
    kind: 'Binding',
    verbs: ['create'],
    table: 'pods/binding',
  }),
];
