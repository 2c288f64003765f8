import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { apiVersionOf, type ChaosEngine, type ChaosExperiment, type ChaosSchedule } from '../../api/index.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import {
  findUnknownFields,
  plainErrorBody,
  validate,
  validateEngine,
  validateExperiment,
  validateSchedule,
} from '../../api/validation/index.ts';
import type { InputProblem } from '../errors.ts';
import { placeOf } from './apply.ts';
import type { Manifest } from './load.ts';

/** Outcome of looking at manifests without a cluster. */
export interface ManifestCheck {
  readonly problems: readonly InputProblem[];
  /** Worth knowing, no reason to refuse. */
  readonly warnings: readonly InputProblem[];
}

/**
 * Checks chaos kinds before anything is sent anywhere: structure, unknown fields, meaning. Kinds that are not ours are
 * the cluster's to judge. Pure.
 */
export function checkManifests(manifests: readonly Manifest[]): ManifestCheck {
  const problems: InputProblem[] = [];
  const warnings: InputProblem[] = [];
  for (const manifest of manifests) {
    const schema = schemaOf(manifest);
    if (schema === undefined) continue;
    const structural = validate(schema, manifest.object);
    const semantic = structural.length === 0 ? semanticErrors(manifest) : [];
    problems.push(...[...structural, ...semantic].map((error) => problemOf(manifest, error)));
    for (const field of findUnknownFields(schema, manifest.object)) {
      const place = { ...placeOf(manifest, ...field.segments), field: field.path };
      // Unknown fields are allowed (upstream preserves them), but one that nearly is a known one is a mistake.
      if (field.suggestion === undefined) warnings.push({ ...place, message: 'unknown field, ignored' });
      else
        problems.push({
          ...place,
          message: `unknown field; did you mean ${JSON.stringify(field.suggestion)}?`,
        });
    }
  }
  return { problems, warnings };
}

/** A field error as a problem of the manifest it was found in. */
export function problemOf(manifest: Manifest, error: FieldError): InputProblem {
  return { ...placeOf(manifest, ...error.segments), field: error.path, message: plainErrorBody(error) };
}

function schemaOf({ object }: Manifest): (typeof CUSTOM_RESOURCES)[number]['schema'] | undefined {
  return CUSTOM_RESOURCES.find(
    ({ resource }) => apiVersionOf(resource) === object.apiVersion && resource.kind === object.kind,
  )?.schema;
}

function semanticErrors({ object }: Manifest): readonly FieldError[] {
  // The structural check just passed, so the object has the shape of its kind.
  if (object.kind === 'ChaosEngine') return validateEngine(object as ChaosEngine);
  if (object.kind === 'ChaosExperiment') return validateExperiment(object as ChaosExperiment);
  if (object.kind === 'ChaosSchedule') return validateSchedule(object as ChaosSchedule);
  return [];
}

/** Files of the chart hub lie beside the manifests but are no objects of a cluster. */
export function isHubMetadata({ object }: Manifest): boolean {
  return object.apiVersion.startsWith('litmuschaos.io/') && object.kind === 'ChartServiceVersion';
}
