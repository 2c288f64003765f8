/** Expressions of users: rules of custom resources, match conditions of webhooks. Loaded when the first is used; see lazy.ts. */
export { CelError } from './environment.ts';
export { conditionMistake, holdsFor, type MatchCondition } from './match-conditions.ts';
export { type RuleMistake, SchemaRules } from './rules.ts';
