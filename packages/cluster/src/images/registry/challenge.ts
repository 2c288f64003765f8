/** What a registry asks for with its 401 (RFC 9110, section 11; distribution's token specification). Pure. */

export type Challenge =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'bearer';
      readonly realm: string;
      readonly service: string | undefined;
      readonly scope: string | undefined;
    };

/** The first challenge that is known; undefined when there is none. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  // `Scheme name=value, name="quoted value", Scheme …`
  const parts = [
    ...(header ?? '').matchAll(
      /(?:^|,)\s*([A-Za-z]+)(?=\s|$|,)|([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi,
    ),
  ];
  let scheme = '';
  const found = new Map<string, Map<string, string>>();
  for (const [, name, key, quoted, plain] of parts) {
    if (name !== undefined) {
      scheme = name.toLowerCase();
      if (!found.has(scheme)) found.set(scheme, new Map());
    } else if (key !== undefined) {
      found.get(scheme)?.set(key.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
    }
  }
  const bearer = found.get('bearer');
  const realm = bearer?.get('realm');
  if (realm !== undefined)
    return { scheme: 'bearer', realm, service: bearer?.get('service'), scope: bearer?.get('scope') };
  return found.has('basic') ? { scheme: 'basic' } : undefined;
}
