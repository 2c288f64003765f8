/**
 * Validation: of structure, by schema, and of meaning, by kind. Every function gives all problems at once.
 *
 * Loads no schemas; those of the chaos kinds are in `../crds.ts`.
 */
export { NUMBER_CRITERIA, TEXT_CRITERIA, validateComparator } from './comparator.ts';
export { applyDefaults } from './defaults.ts';
export { validateEngine, validateEngineSpec } from './engine.ts';
export { validateExperiment } from './experiment.ts';
export {
  type FieldError,
  type FieldErrorType,
  fieldErrorBody,
  formatFieldError,
  formatFieldErrors,
  plainErrorBody,
  plainFieldError,
  under,
} from './field-error.ts';
export { validateAnnotations, validateLabels, validateObjectMeta } from './object-meta.ts';
export { formatPath, type PathSegment } from './path.ts';
export { inputsKey, validateProbe, validateProbes } from './probe.ts';
export { type Pruned, prune } from './prune.ts';
export { validateSchedule } from './schedule.ts';
export type { StructuralSchema } from './schema.ts';
export { validate } from './structural.ts';
export { editDistance, suggest } from './suggest.ts';
export { findUnknownFields, formatUnknownField, type UnknownField } from './unknown-fields.ts';
