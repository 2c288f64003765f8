/**
 * Validation: of structure, by schema, and of meaning, by kind. Every function gives all problems at once.
 *
 * Loads no schemas; those of the chaos kinds are in `../crds.ts`.
 */
export { explainErrorBody, explainFieldError } from './advice.ts';
export { applyDefaults } from './defaults.ts';
export { validateEngine } from './engine.ts';
export { validatePolicy } from './event-tracker-policy.ts';
export { validateExperiment } from './experiment.ts';
export { type FieldError, formatFieldError, plainFieldError } from './field-error.ts';
export { fieldMeant } from './field-meant.ts';
export { prune } from './prune.ts';
export { validateSchedule } from './schedule.ts';
export type { StructuralSchema } from './schema.ts';
export { validate } from './structural.ts';
export { findUnknownFields, isMistaken, unknownFieldText } from './unknown-fields.ts';
