const NAME = /^[^\s,"'[\]{}]+$/;

/** Names of a JSON list or separated by commas; undefined when they cannot be read. Pure. */
export function namesOf(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  const names: unknown = trimmed.startsWith('[') ? parseJson(trimmed) : trimmed.split(',');
  if (!Array.isArray(names)) return undefined;
  const list: unknown[] = names;
  const texts = list.filter((name) => typeof name === 'string').map((name) => name.trim());
  if (texts.length !== list.length) return undefined;
  const given = texts.filter((name) => name !== '');
  return given.every((name) => NAME.test(name)) ? given : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
