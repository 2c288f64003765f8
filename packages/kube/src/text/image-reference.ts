/** An image name taken apart: `[registry/]path[:tag][@digest]`. */
interface ImageReference {
  /** Host of the registry, if given. */
  readonly registry?: string;
  /** `grafana/k6`, `busybox`; `library/` is left out, as on Docker Hub. */
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Takes an image name apart; pure. Undefined for an invalid name. */
export function parseImage(name: string): ImageReference | undefined {
  const match =
    /^(?<name>[^@\s]+?)(?::(?<tag>[\w][\w.-]{0,127}))?(?:@(?<digest>[a-z0-9]+:[0-9a-fA-F]+))?$/.exec(name);
  if (match?.groups === undefined) return undefined;
  const { name: full = '', tag, digest } = match.groups;
  const segments = full.split('/');
  const [first = ''] = segments;
  // As Docker decides: the first segment is a host when it could not be a user's name.
  const hasRegistry = segments.length > 1 && (/[.:]/.test(first) || first === 'localhost');
  const path = (hasRegistry ? segments.slice(1) : segments).join('/').replace(/^library\//, '');
  if (!/^[a-z0-9]+(?:[._-]+[a-z0-9]+|\/[a-z0-9]+)*$/.test(path)) return undefined;
  return { registry: hasRegistry ? first : undefined, path, tag, digest };
}

/** How exactly a name fits an image: 0 not at all, more for a registry, tag or digest in common; pure. */
export function matchImage(name: string, image: string): number {
  const wanted = parseImage(image);
  const offered = parseImage(name);
  if (wanted === undefined || offered === undefined || wanted.path !== offered.path) return 0;
  let exactness = 1;
  for (const part of ['registry', 'tag', 'digest'] as const) {
    if (offered[part] === undefined) continue;
    const asked = part === 'tag' && wanted.digest === undefined ? (wanted.tag ?? 'latest') : wanted[part];
    if (asked !== offered[part]) return 0;
    exactness += 1;
  }
  return exactness;
}
