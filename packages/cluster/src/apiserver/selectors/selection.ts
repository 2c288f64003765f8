import {
  FieldSelectorError,
  type ParsedFieldSelector,
  parseFieldSelector,
} from '@turnsole/kube/text/field-selector';
import {
  LabelSelectorError,
  matchesLabels,
  type ParsedLabelSelector,
  parseLabelSelector,
} from '@turnsole/kube/text/label-selector';
import type { Version } from '../../store/index.ts';
import { badRequest } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { objectOf } from '../stored-object.ts';

/** Which objects a list, watch or deletecollection means. */
export interface Selection {
  readonly labels: ParsedLabelSelector;
  readonly fields: ParsedFieldSelector;
  /** Set when the field selector names exactly one object: it is then read instead of searched. */
  readonly name: string | undefined;
  /** The same for the namespace. */
  readonly namespace: string | undefined;
}

/** A watch applies its selector to each change, at the cost of all clients. Thousands of values fit. */
const MAX_SELECTOR_LENGTH = 16 * 1024;

/** Reads the selectors of a query. Throws BadRequest for bad syntax and for fields that the kind does not have. */
export function parseSelection(definition: KindDefinition, query: URLSearchParams): Selection {
  for (const name of ['labelSelector', 'fieldSelector']) {
    const { length } = query.get(name) ?? '';
    if (length > MAX_SELECTOR_LENGTH) {
      throw badRequest(`${name} has ${length} characters: limit is ${MAX_SELECTOR_LENGTH}`);
    }
  }
  const labels = parse(() => parseLabelSelector(query.get('labelSelector') ?? ''));
  const fields = parse(() => parseFieldSelector(query.get('fieldSelector') ?? ''));
  for (const { field } of fields) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && definition.namespaced)) continue;
    if (Object.hasOwn(definition.fields, field)) continue;
    throw badRequest(unknownField(definition, field));
  }
  return {
    labels,
    fields,
    name: exactly(fields, 'metadata.name'),
    namespace: exactly(fields, 'metadata.namespace'),
  };
}

function exactly(fields: ParsedFieldSelector, wanted: string): string | undefined {
  return fields.find(({ field, operator }) => field === wanted && operator === '=')?.value;
}

/**
 * The one name that a field selector allows, for authorization by `resourceNames`; undefined when it allows several, and for
 * what cannot be read or is too long, which is refused later.
 */
export function nameSelectedBy(text: string): string | undefined {
  if (text === '' || text.length > MAX_SELECTOR_LENGTH) return undefined;
  try {
    return exactly(parseFieldSelector(text), 'metadata.name');
  } catch (error) {
    if (error instanceof FieldSelectorError) return undefined;
    throw error;
  }
}

function unknownField(definition: KindDefinition, field: string): string {
  const isCustom = definition.versions[0]?.type === undefined;
  if (isCustom || Object.keys(definition.fields).length > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LabelSelectorError) && !(error instanceof FieldSelectorError)) throw error;
    throw badRequest(error.message, error);
  }
}

/** Whether a version is selected. */
export function isSelected(definition: KindDefinition, selection: Selection, version: Version): boolean {
  const { labels, fields } = selection;
  if (labels.length > 0 && !matchesLabels(labels, objectOf(version).metadata.labels ?? {})) return false;
  return fields.every(
    ({ field, operator, value }) => (fieldOf(definition, version, field) === value) === (operator === '='),
  );
}

function fieldOf(definition: KindDefinition, version: Version, field: string): string {
  if (field === 'metadata.name') return version.name;
  if (field === 'metadata.namespace') return version.namespace;
  return definition.fields[field]?.(objectOf(version)) ?? '';
}
