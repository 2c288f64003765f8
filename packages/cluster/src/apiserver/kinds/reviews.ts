import { defineKind } from './define.ts';
import type { KindDefinition } from './kind.ts';

/** The reviews: questions that are answered by `auth/reviews.ts`. */
const REVIEW_KINDS: readonly { group: string; plural: string; kind: string; namespaced: boolean }[] = [
  { group: 'authentication.k8s.io', kind: 'SelfSubjectReview' },
  { group: 'authentication.k8s.io', kind: 'TokenReview' },
  { group: 'authorization.k8s.io', kind: 'LocalSubjectAccessReview' },
  { group: 'authorization.k8s.io', kind: 'SelfSubjectAccessReview' },
  { group: 'authorization.k8s.io', kind: 'SelfSubjectRulesReview' },
  { group: 'authorization.k8s.io', kind: 'SubjectAccessReview' },
].map(({ group, kind }) => ({
  group,
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced: kind === 'LocalSubjectAccessReview',
}));

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
