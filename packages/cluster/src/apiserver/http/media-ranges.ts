/** The Accept header. Source: RFC 9110, section 12.5.1; the order among equals is that of kube-apiserver. */

interface MediaRange {
  /** `application`, or `*`. */
  readonly type: string;
  /** `json`, or `*`. */
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

interface Weighted extends MediaRange {
  readonly weight: number;
}

/** What a client takes, the best first: by weight, then exact types before wildcards, then as they are written. */
export function mediaRanges(header: string): readonly MediaRange[] {
  const ranges = header.split(',').flatMap((text) => readRange(text) ?? []);
  return ranges.sort((a, b) => b.weight - a.weight || wildcards(a) - wildcards(b));
}

/** Whether the range includes a type. */
export function includesType({ type, subtype }: MediaRange, wanted: string): boolean {
  const [mainType, subType] = wanted.split('/', 2);
  return (type === '*' || type === mainType) && (subtype === '*' || subtype === subType);
}

/** Undefined for what is no media range, and for what the client does not take at all (`q=0`). */
function readRange(text: string): Weighted | undefined {
  const [range = '', ...rest] = text.split(';').map((part) => part.trim());
  const [type = '', subtype = type === '*' ? '*' : ''] = range.split('/').map((part) => part.trim());
  if (type === '' || subtype === '') return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const at = part.indexOf('=');
    if (at > 0) parameters.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  const weight = Number(parameters.get('q') ?? 1);
  return weight > 0 ? { type, subtype, parameters, weight } : undefined;
}

function wildcards({ type, subtype }: MediaRange): number {
  return Number(type === '*') + Number(subtype === '*');
}
