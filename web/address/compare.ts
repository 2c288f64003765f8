import { encodeState, type Fields } from './codec.ts';
import { count, names, oneOf, span, text } from './fields.ts';
import { ROUTES } from './routes.ts';

/** The reader's choices for two runs side by side. */
interface CompareAddress {
  /** The runs: an ID of a project's, `Kind/namespace/name` of the cluster's. Without `a` the one before `b` is meant. */
  readonly a: string;
  readonly b: string;
  readonly t: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The selected mark of the common axis. */
  readonly mark: number | undefined;
  readonly fold: ReadonlySet<string>;
  readonly axis: 'lanes' | 'table';
}

/** Codec of each part in links. */
export const COMPARE_ADDRESS: Fields<CompareAddress> = {
  a: text,
  b: text,
  t: span,
  mark: count,
  fold: names,
  axis: oneOf(['lanes', 'table']),
};

/** The address of two runs side by side. */
export function comparePath(project: string, { a, b }: Pick<CompareAddress, 'a' | 'b'>): string {
  const path = ROUTES.compare.replace(':project', encodeURIComponent(project));
  const initial = { t: undefined, mark: undefined, fold: new Set<string>(), axis: 'lanes' } as const;
  return `${path}?${encodeState(COMPARE_ADDRESS, { ...initial, a, b })}`;
}
