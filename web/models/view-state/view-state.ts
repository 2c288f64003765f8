/** What a query says, as far as a view shows it. */
export interface QueryFacts<Data> {
  readonly data: Data | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** When the data came, milliseconds since the epoch. */
  readonly dataAtMs: number;
}

/** One of the states that every view has. */
export type ViewState<Data> =
  | { readonly state: 'loading' }
  | { readonly state: 'signed-out' }
  | { readonly state: 'forbidden'; readonly message: string }
  /** What was asked for is not there: asking again does not help. */
  | { readonly state: 'missing'; readonly message: string }
  | { readonly state: 'failed'; readonly message: string; readonly code: string }
  | { readonly state: 'empty' }
  | { readonly state: 'shown'; readonly data: Data }
  /** Data that came once, while the server does not answer now. */
  | {
      readonly state: 'away';
      readonly data: Data;
      readonly isEmpty: boolean;
      readonly sinceMs: number;
      readonly message: string;
    };

/** The first word of such refusals, for programs. */
const FORBIDDEN_BEGINS = /^permission_denied:\s*/;

/** Decides what a view shows. Data that is there stays, also while asking again fails. Pure. */
export function viewState<Data>(
  { data, error, dataAtMs }: QueryFacts<Data>,
  isEmpty: (data: Data) => boolean,
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
