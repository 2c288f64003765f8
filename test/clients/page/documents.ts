import recorded from './documents.json' with { type: 'json' };

/** A GraphQL operation of ChaosCenter's page, as it was recorded: names, types and fields, in the order of the alphabet. */
export interface RecordedDocument {
  readonly kind: string;
  readonly name: string;
  readonly variables: string;
  readonly field: string;
  readonly arguments: string;
  /** Empty for a field without fields. */
  readonly selects: string;
}

/** All of them that are valid at ChaosCenter 3.31's own server. Seven more of its page ask for what that server does not have. */
export const DOCUMENTS: readonly RecordedDocument[] = recorded;

/** The text that is sent for it. The page's GraphQL client asks for `__typename` of every object. */
export function textOf({
  kind,
  name,
  variables,
  field,
  arguments: given,
  selects,
}: RecordedDocument): string {
  const inBrackets = (text: string): string => (text === '' ? '' : `(${text})`);
  const selection = selects === '' ? '' : ` { ${selects.replaceAll('}', '__typename }')} __typename }`;
  return `${kind} ${name}${inBrackets(variables)} { ${field}${inBrackets(given)}${selection} }`;
}
