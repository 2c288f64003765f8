/** The view of an address, as the build of the page tells it. */
export interface PageAddress {
  /** Below the page's path, as the page's router has it: `/project/:project/settings/:part?`. */
  readonly path: string;
  /** What its view is loaded from besides what the document names: paths of scripts and style sheets, as the document has them. */
  readonly loads: readonly string[];
}

/** The first of the addresses whose path is that of a request. Pure. */
export function addressOf<Address extends Pick<PageAddress, 'path'>>(
  addresses: readonly Address[],
  path: string,
): Address | undefined {
  const segments = path.split('/');
  return addresses.find((address) => {
    const pattern = address.path.split('/');
    return (
      segments.length <= pattern.length &&
      pattern.every((part, at) => {
        const segment = segments[at];
        if (part.startsWith(':')) return segment === undefined ? part.endsWith('?') : segment !== '';
        return segment === part;
      })
    );
  });
}

/**
 * The document with what a view is loaded from, so that a browser asks for all of it at once. A style sheet that stands there is not waited for
 * by the script that would load it, so that one that does not come costs the looks of the view, not the view. Pure.
 */
export function withLoads(document: string, loads: readonly string[]): string {
  const links = loads.map((path) =>
    path.endsWith('.css')
      ? `<link rel="stylesheet" crossorigin href="${path}">`
      : `<link rel="modulepreload" crossorigin href="${path}">`,
  );
  return document.replace('</head>', () => `${links.join('')}</head>`);
}
