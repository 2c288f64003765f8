/** State of a query for a view. */
export interface QueryFacts<Data> {
  readonly data: Data | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** When the data arrived, milliseconds since the epoch. */
  readonly dataAtMs: number;
}

/** One of the states that every view has. */
export type ViewState<Data> =
  | { readonly state: 'loading' }
  | { readonly state: 'signed-out' }
  | { readonly state: 'forbidden'; readonly message: string }
  /** The object does not exist: a retry does not help. */
  | { readonly state: 'missing'; readonly message: string }
  | { readonly state: 'failed'; readonly message: string; readonly code: string }
  | { readonly state: 'empty' }
  | { readonly state: 'shown'; readonly data: Data }
  /** Earlier data, while the server does not answer. */
  | {
      readonly state: 'away';
      readonly data: Data;
      readonly isEmpty: boolean;
      readonly sinceMs: number;
      readonly message: string;
    };

/** The prefix of such refusals, for programs. */
const FORBIDDEN_BEGINS = /^permission_denied:\s*/;

/** Decides the state of a view. Existing data stays, also while retries fail. Pure. */
export function viewState<Data>(
  { data, error, dataAtMs }: QueryFacts<Data>,
  isEmpty: (data: Data) => boolean = () => false,
): ViewState<Data> {
  if (error?.code === 'unauthenticated') return { state: 'signed-out' };
  if (error?.code === 'forbidden')
    return { state: 'forbidden', message: error.message.replace(FORBIDDEN_BEGINS, '') };
  if (error?.code === 'not-found') return { state: 'missing', message: error.message };
  if (data === undefined) {
    return error === undefined
      ? { state: 'loading' }
      : { state: 'failed', message: error.message, code: error.code };
  }
  if (error !== undefined)
    return { state: 'away', data, isEmpty: isEmpty(data), sinceMs: dataAtMs, message: error.message };
  return isEmpty(data) ? { state: 'empty' } : { state: 'shown', data };
}

/** What a view knows, also while the server does not answer; undefined before its first answer. Pure. */
export function knownData<Data>(view: ViewState<Data>): Data | undefined {
  return view.state === 'shown' || view.state === 'away' ? view.data : undefined;
}
