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

const SUPPORTED: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const PLAIN: Accepted = { view: 'object', version: 'v1' };
const YAML: Accepted = { ...PLAIN, isYaml: true };

/**
 * The first served form of an Accept header. Source: kubernetes.io, API concepts, Receiving resources as Tables.
 * Clients ask for `metadata.k8s.io` forms with `as=PartialObjectMetadata` and `as=PartialObjectMetadataList`.
 */
export function negotiate(header: string | undefined): Accepted {
  if (header === undefined || header === '' || header === 'application/json') return PLAIN;
  let isKnown = false;
  for (const clause of header.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (type === 'application/yaml') return YAML;
    if (type !== 'application/json' && type !== '*/*') continue;
    isKnown = true;
    const value = (name: string): string | undefined =>
      parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
    const as = value('as');
    if (as === undefined) return PLAIN;
    if (value('g') !== undefined && value('g') !== 'meta.k8s.io') continue;
    const version = value('v') ?? 'v1';
    if (version !== 'v1' && version !== 'v1beta1') continue;
    if (as === 'Table') return { view: 'table', version };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
      return { view: 'metadata', version };
  }
  // Types that are not served are refused before any handler runs, with fewer words.
  if (!isKnown) throw new StatusError(406, 'NotAcceptable', '406: Not Acceptable', {});
  throw notAcceptable(SUPPORTED);
}
