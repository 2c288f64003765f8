/**
 * The bridge between client-side and server-side apply of kubectl: the annotation with the last applied configuration.
 * Source: kubernetes.io, Server-Side Apply, Migration between client-side and server-side apply.
 */
import { type ApiObject, asJson, isJson, type Json } from '../../object.ts';
import type { Conflict } from './apply.ts';
import { type FieldSet, pathsOf } from './field-set.ts';
import type { Shape } from './shape.ts';
import { fieldsOf } from './typed.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** Only kubectl keeps this annotation. */
const MANAGER = 'kubectl';

function annotationOf(object: ApiObject): string {
  return object.metadata.annotations?.[ANNOTATION] ?? '';
}

/** Without the conflicts over fields that this client itself has applied client-side. */
export function withoutOwnConflicts(
  conflicts: readonly Conflict[],
  manager: string,
  live: ApiObject | undefined,
  shape: Shape,
): readonly Conflict[] {
  if (manager !== MANAGER || live === undefined || annotationOf(live) === '') return conflicts;
  const own = new Set(pathsOf(appliedFields(annotationOf(live), shape)));
  return conflicts
    .map(({ manager: other, paths }) => ({ manager: other, paths: paths.filter((path) => !own.has(path)) }))
    .filter(({ paths }) => paths.length > 0);
}

function appliedFields(annotation: string, shape: Shape): FieldSet {
  try {
    return fieldsOf(JSON.parse(annotation), shape);
  } catch {
    // An unreadable annotation holds no configuration: then nothing was applied.
    return fieldsOf({}, shape);
  }
}

/** Keeps an existing annotation equal to the applied configuration; changes the object. */
export function refreshAnnotation(object: ApiObject, config: ApiObject, manager: string): void {
  if (manager !== MANAGER || annotationOf(object) === '') return;
  object.metadata.annotations = {
    ...object.metadata.annotations,
    [ANNOTATION]: `${JSON.stringify(sorted(withoutAnnotation(config)))}\n`,
  };
}

function withoutAnnotation(config: ApiObject): Json {
  const { annotations, ...metadata } = config.metadata;
  const { [ANNOTATION]: _own, ...others } = annotations ?? {};
  return {
    ...config,
    metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others },
  };
}

/** The value with the fields of its objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJson(value)) return value;
  const object = asJson(value);
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, sorted(object[key])]),
  );
}
