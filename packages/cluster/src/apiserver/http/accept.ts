import { JSON_TYPE } from './exchange.ts';
import { includesType, mediaRanges } from './media-ranges.ts';
import { notAcceptable, StatusError } from './status.ts';

/** How objects are shown: as they are, as rows of a Table, or as their metadata only. */
type View = 'object' | 'table' | 'metadata';

export interface Accepted {
  readonly view: View;
  /** Version of meta.k8s.io that the answer is in: `v1`, `v1beta1`. */
  readonly version: string;
  /** Whether the answer is to be written as YAML. */
  readonly isYaml?: boolean;
}

const YAML_TYPE = 'application/yaml';
const SUPPORTED: readonly string[] = [JSON_TYPE, YAML_TYPE, 'application/vnd.kubernetes.protobuf'];
const PLAIN: Accepted = { view: 'object', version: 'v1' };
const YAML: Accepted = { ...PLAIN, isYaml: true };
const VIEWS: Readonly<Record<string, View>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** As the answer to other types lists them. */
const SERVED_TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/**
 * The served form that an Accept header likes best. Source: kubernetes.io, API concepts, Receiving resources as Tables.
 * Clients ask for `metadata.k8s.io` forms with `as=PartialObjectMetadata` and `as=PartialObjectMetadataList`.
 *
 * @param withTables whether the answer has a form as a Table
 */
export function negotiate(header: string | undefined, withTables = true): Accepted {
  if (header === undefined || header === '' || header === JSON_TYPE) return PLAIN;
  let isKnown = false;
  for (const range of mediaRanges(header)) {
    const { type, subtype, parameters } = range;
    // As recorded of kube-apiserver, which takes `*/*` and whole names of types only.
    if (subtype === '*' && type !== '*') continue;
    if (!includesType(range, JSON_TYPE)) {
      if (includesType(range, YAML_TYPE)) return YAML;
      continue;
    }
    isKnown = true;
    const as = parameters.get('as');
    if (as === undefined) return PLAIN;
    const { g: group = 'meta.k8s.io', v: version = 'v1' } = Object.fromEntries(parameters);
    const view = Object.hasOwn(VIEWS, as) ? VIEWS[as] : undefined;
    if (view === undefined || (view === 'table' && !withTables)) continue;
    if (group === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1')) return { view, version };
  }
  // Types that are not served are refused before any handler runs, with fewer words.
  if (!isKnown) {
    const words = `406: Not Acceptable\n\nAvailable representations: ${SERVED_TYPES}`;
    throw new StatusError(406, 'NotAcceptable', words, {});
  }
  throw notAcceptable(SUPPORTED);
}
