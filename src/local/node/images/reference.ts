/** An image name taken apart: `[registry/]path[:tag][@digest]`. */
export interface ImageReference {
  /** Host of the registry, when one is named. */
  readonly registry?: string;
  /** `litmuschaos/go-runner`, `busybox`; `library/` is left out, as on Docker Hub. */
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Takes an image name apart; pure. Undefined for what is no image name. */
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
  return {
    ...(hasRegistry ? { registry: first } : {}),
    path,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}
