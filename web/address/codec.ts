/** One part of a view's state and its form in links. Unreadable texts give undefined. */
export interface Field<Value> {
  readonly initial: Value;
  parse(text: string): Value | undefined;
  format(value: Value): string;
}

/** The state of a view: a field for each name in the link. */
export type Fields<State> = { readonly [Name in keyof State]: Field<State[Name]> };

/** Current version of links. */
const VERSION = '1';

/** A decoded link. */
export interface Decoded<State> {
  readonly state: State;
  /** Unreadable parts, in words for the reader; these have their initial values. */
  readonly problems: readonly string[];
}

/** The search part of a link for a state, without initial values. Pure. */
export function encodeState<State extends object>(fields: Fields<State>, state: State): string {
  const parameters = new URLSearchParams();
  for (const name of Object.keys(fields) as (keyof State & string)[]) {
    const text = fields[name].format(state[name]);
    if (text !== fields[name].format(fields[name].initial)) parameters.set(name, text);
  }
  if (parameters.size > 0) parameters.set('v', VERSION);
  return parameters.toString();
}

/** The state in a link. Pure. */
export function decodeState<State extends object>(fields: Fields<State>, search: string): Decoded<State> {
  const parameters = new URLSearchParams(search);
  const version = parameters.get('v');
  const problems =
    version === null || version === VERSION
      ? []
      : [`this link was made by another version of the page (${version}); it may show something else`];
  const state: Partial<State> = {};
  for (const name of Object.keys(fields) as (keyof State & string)[]) {
    const text = parameters.get(name);
    const value = text === null ? fields[name].initial : fields[name].parse(text);
    if (text !== null && value === undefined) problems.push(`${name}=${text} in the link is not understood`);
    state[name] = value ?? fields[name].initial;
  }
  return { state: state as State, problems };
}
