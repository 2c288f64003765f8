/** The view of an address, from the build of the page. */
export interface PageAddress {
  /** Below the page's path, in the form of the page's router: `/project/:project/settings/:part?`. */
  readonly path: string;
  /** Further files of its view: paths of scripts and style sheets, in the form of the document. */
  readonly loads: readonly string[];
}

/** The first address that matches the path of a request. Pure. */
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
 * The document with the files of a view, so that a browser requests all of them at once. The script of the view does not wait for a style sheet
 * in the document, so that a failed style sheet costs the style of the view, not the view. Pure.
 */
export function withLoads(document: string, loads: readonly string[]): string {
  const links = loads.map((path) =>
    path.endsWith('.css')
      ? `<link rel="stylesheet" crossorigin href="${path}">`
      : `<link rel="modulepreload" crossorigin href="${path}">`,
  );
  return document.replace('</head>', () => `${links.join('')}</head>`);
}

/** The document of a server that watches a cluster itself: the page shows that cluster beside the project. Pure. */
export function ofCluster(document: string): string {
  return document.replace('<html ', '<html data-cluster="watched" ');
}
