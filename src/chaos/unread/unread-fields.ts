/** Not for programs that start for every run: it loads the generated definitions. */
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { fieldMeant, findUnknownFields, isMistaken, unknownFieldText } from '../../api/validation/index.ts';
import type { JudgedObject } from '../chaos-admission.ts';
import type { Unread } from './unread-settings.ts';

/** The fields of a chaos kind's object, but for its status, that its kind does not have. None for other kinds. Pure. */
export function unreadFields({ apiVersion, kind, metadata, spec }: JudgedObject): Unread[] {
  const schema = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === kind)?.schema;
  if (schema === undefined) return [];
  return findUnknownFields(schema, { apiVersion, kind, metadata, spec }, fieldMeant).map((field) => ({
    path: field.path,
    message: unknownFieldText(field),
    isMistake: isMistaken(field),
  }));
}

/** `spec.x: unknown field, ignored`. Pure. */
export function unreadText({ path, message }: Pick<Unread, 'path' | 'message'>): string {
  return `${path}: ${message}`;
}
