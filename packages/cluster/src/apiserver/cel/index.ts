/**
 * Expressions of users: rules of custom resources, match conditions of webhooks, admission policies. Loaded when the first is used; see
 * lazy.ts.
 */
export { CelError } from './environment.ts';
export { holdsFor, type MatchCondition } from './match-conditions.ts';
export { type Mutation, type MutationExpressions, type Patch, patchOf } from './mutations.ts';
export { denialsOf, type PolicyExpressions } from './policies.ts';
export { expressionMistake } from './programs.ts';
export { type RuleMistake, SchemaRules } from './rules.ts';
