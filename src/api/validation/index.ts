/**
 * Validation: of structure, by schema, and of meaning, by kind. Every function gives all problems at once.
 *
 * Loads no schemas; those of the chaos kinds are in `../crds.ts`.
 */

export { applyDefaults } from '@turnsole/kube/schema/defaults';
export { type FieldError, formatFieldError, plainFieldError } from '@turnsole/kube/schema/field-error';
export { prune } from '@turnsole/kube/schema/prune';
export type { StructuralSchema } from '@turnsole/kube/schema/schema';
export { validate } from '@turnsole/kube/schema/structural';
export { findUnknownFields, isMistaken, unknownFieldText } from '@turnsole/kube/schema/unknown-fields';
export { explainErrorBody, explainFieldError } from './advice.ts';
export { validateEngine } from './engine.ts';
export { validatePolicy } from './event-tracker-policy.ts';
export { validateExperiment } from './experiment.ts';
export { fieldMeant } from './field-meant.ts';
export { validateSchedule } from './schedule.ts';
