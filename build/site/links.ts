/** Links and headings of Markdown pages. All of it is pure. */

/** Where a link is, and what it says it leads to: `first-steps.md`, `#two-commands`, or both. */
export interface Link {
  readonly target: string;
  readonly path: string;
  readonly anchor: string;
}

const FENCE = /^\s*(?:```|~~~)/;
/** A link or an image; its text may have brackets of its own, as in `[a[0]](b)`. */
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** The relative links of a page, in order. */
export function linksOf(page: string): Link[] {
  const links: Link[] = [];
  changeLinks(page, (link) => {
    links.push(link);
    return link.target;
  });
  return links;
}

/** A page with other targets in the places of its relative links, or without a link where there is none; code and links to elsewhere stay. */
export function changeLinks(page: string, change: (link: Link) => string | undefined): string {
  return outsideOfCode(page, (line) =>
    line.replaceAll(LINK, (whole, text: string, target: string) => {
      if (/^(?:[a-z][\w+.-]*:|\/)/i.test(target)) return whole;
      const [path = '', anchor = ''] = target.split('#', 2);
      const changed = change({ target, path, anchor });
      return changed === undefined ? text : `[${text}](${changed})`;
    }),
  );
}

/** Changes lines that are in no fence, but for code within them. */
function outsideOfCode(page: string, change: (text: string) => string): string {
  let isCode = false;
  const lines = page.split('\n').map((line) => {
    if (FENCE.test(line)) isCode = !isCode;
    else if (!isCode) return aroundCode(line, change);
    return line;
  });
  return lines.join('\n');
}

/** Changes a line where it is no code; a link whose text is code is one. */
function aroundCode(line: string, change: (text: string) => string): string {
  const code: string[] = [];
  const masked = line.replaceAll(/`[^`]*`/g, (text) => `\`${code.push(text) - 1}\``);
  return change(masked).replaceAll(/`(\d+)`/g, (_, index: string) => code[Number(index)] ?? '');
}

/** The headings of a page, without their marks. */
export function headingsOf(page: string): string[] {
  let isCode = false;
  return page.split('\n').flatMap((line) => {
    if (FENCE.test(line)) isCode = !isCode;
    const [, heading] = (isCode ? undefined : /^#{1,6} (.+)$/.exec(line)) ?? [];
    return heading === undefined ? [] : [heading];
  });
}

/** The anchor of a heading, as GitHub makes it, so that links lead to the same place there and on the site. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
