import type { Version } from '../../store/index.ts';
import { badRequest } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { objectOf } from '../registry/encode.ts';
import { type FieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';
import { type LabelSelector, matchesLabels, parseLabelSelector, SelectorError } from './label-selector.ts';

/** Which objects a list, watch or deletecollection means. */
export interface Selection {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Set when the field selector names exactly one object: it is then read instead of searched. */
  readonly name: string | undefined;
  /** The same for the namespace. */
  readonly namespace: string | undefined;
}

/** Reads the selectors of a query. Throws BadRequest for bad syntax and for fields that the kind does not have. */
export function parseSelection(definition: KindDefinition, query: URLSearchParams): Selection {
  const labels = parse(() => parseLabelSelector(query.get('labelSelector') ?? ''), 'labelSelector');
  const fields = parse(() => parseFieldSelector(query.get('fieldSelector') ?? ''), 'fieldSelector');
  for (const { field } of fields) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && definition.namespaced)) continue;
    if (Object.hasOwn(definition.fields, field)) continue;
    throw badRequest(unknownField(definition, field));
  }
  const exact = (wanted: string): string | undefined =>
    fields.find(({ field, equal }) => field === wanted && equal)?.value;
  return { labels, fields, name: exact('metadata.name'), namespace: exact('metadata.namespace') };
}

function unknownField(definition: KindDefinition, field: string): string {
  const { group, storedVersion, kind } = definition;
  if (Object.keys(definition.fields).length === 0) {
    return `field label not supported: ${field}`;
  }
  const gvk = `${group === '' ? '' : `${group}/`}${storedVersion}, Kind=${kind}`;
  return `Unable to find ${JSON.stringify(gvk)} that match label selector "", field selector ${JSON.stringify(field)}: field label not supported: ${field}`;
}

function parse<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw badRequest(`unable to parse requirement: ${error.message}`, `${what}: ${error.message}`);
  }
}

/** Whether a version is selected. */
export function isSelected(definition: KindDefinition, selection: Selection, version: Version): boolean {
  const { labels, fields } = selection;
  if (labels.length > 0 && !matchesLabels(labels, objectOf(version).metadata.labels)) return false;
  return fields.length === 0 || matchesFields(fields, (field) => fieldOf(definition, version, field));
}

function fieldOf(definition: KindDefinition, version: Version, field: string): string {
  if (field === 'metadata.name') return version.name;
  if (field === 'metadata.namespace') return version.namespace;
  return definition.fields[field]?.(objectOf(version)) ?? '';
}
