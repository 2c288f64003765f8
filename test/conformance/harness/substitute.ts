/** Variables of a scenario by name. */
export type Variables = ReadonlyMap<string, string>;

/** The text with `{name}` replaced by the variable's value; braces around anything else stay. */
export function substitute(text: string, variables: Variables): string {
  return text.replace(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (whole, name: string) => variables.get(name) ?? whole);
}

/** The value with the variables in all its strings replaced, keys included. */
export function substituteAll(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return substitute(value, variables);
  if (Array.isArray(value)) return value.map((item) => substituteAll(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      substitute(key, variables),
      substituteAll(child, variables),
    ]),
  );
}
