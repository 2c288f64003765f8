import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import {
  explainErrorBody,
  fieldMeant,
  findUnknownFields,
  isMistaken,
  unknownFieldText,
  validate,
} from '../../api/validation/index.ts';
import { meaningProblems } from '../../chaos/chaos-admission.ts';
import type { InputNote, InputProblem } from '../errors.ts';
import { placeOf } from './apply.ts';
import type { Manifest } from './load.ts';

/** Outcome of looking at manifests without a cluster. */
interface ManifestCheck {
  readonly problems: readonly InputProblem[];
  /** Worth knowing, no reason to refuse. */
  readonly warnings: readonly InputNote[];
}

/**
 * Checks chaos kinds before anything is sent anywhere: structure, unknown fields, meaning. Kinds that are not ours are
 * the cluster's to judge. Pure.
 */
export function checkManifests(manifests: readonly Manifest[]): ManifestCheck {
  const problems: InputProblem[] = [];
  const warnings: InputNote[] = [];
  for (const manifest of manifests) {
    const schema = schemaOf(manifest);
    if (schema === undefined) continue;
    const structural = validate(schema, manifest.object);
    const semantic = structural.length === 0 ? meaningProblems(manifest.object) : [];
    problems.push(...[...structural, ...semantic].map((error) => problemOf(manifest, error)));
    for (const field of findUnknownFields(schema, manifest.object, fieldMeant)) {
      const place = { ...placeOf(manifest, ...field.segments), field: field.path };
      const message = unknownFieldText(field);
      // Unknown fields are allowed (upstream preserves them), but a known one that is misspelled or misplaced is a mistake.
      if (isMistaken(field)) problems.push({ ...place, code: 'FIELD_UNKNOWN', message });
      else warnings.push({ ...place, message });
    }
  }
  return { problems, warnings };
}

/** A field error as a problem of the manifest it was found in. */
function problemOf(manifest: Manifest, error: FieldError): InputProblem {
  return {
    ...placeOf(manifest, ...error.segments),
    field: error.path,
    code: 'FIELD_INVALID',
    message: explainErrorBody(error, manifest.object),
  };
}

function schemaOf({ object }: Manifest): (typeof CUSTOM_RESOURCES)[number]['schema'] | undefined {
  return CUSTOM_RESOURCES.find(
    ({ resource }) => apiVersionOf(resource) === object.apiVersion && resource.kind === object.kind,
  )?.schema;
}

/** Files of the chart hub lie beside the manifests but are no objects of a cluster. */
export function isHubMetadata({ object }: Manifest): boolean {
  return object.apiVersion.startsWith('litmuschaos.io/') && object.kind === 'ChartServiceVersion';
}
