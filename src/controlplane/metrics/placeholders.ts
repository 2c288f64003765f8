import { dnsLabelProblems, subdomainProblems } from '../../text/names.ts';

/** What a run has hit, as the placeholders of a query stand for it. */
interface Hit {
  readonly namespaces: readonly string[];
  readonly pods: readonly string[];
}

/** A placeholder: which names it stands for, which of them can be names at all, and what it is about in words. */
interface Placeholder {
  readonly names: (hit: Hit) => readonly string[];
  readonly problems: (name: string) => readonly string[];
  readonly what: string;
  /** A label that it is compared with. */
  readonly label: string;
}

const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  namespace: {
    names: ({ namespaces }) => namespaces,
    problems: dnsLabelProblems,
    what: 'nothing in a namespace',
    label: 'namespace',
  },
  pods: { names: ({ pods }) => pods, problems: subdomainProblems, what: 'no pod', label: 'pod' },
};
const KNOWN = Object.keys(PLACEHOLDERS)
  .map((name) => `{{${name}}}`)
  .join(' and ');
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
/** A query with more of them is longer than is worth asking. */
const MOST_NAMES = 500;

/** What keeps the placeholders of a query from meaning what they say; undefined where nothing does. Pure. */
export function placeholderProblem(query: string): string | undefined {
  const patterns = patternsOf(query);
  for (const { index, 0: text, 1: name = '' } of query.matchAll(PLACEHOLDER)) {
    const known = placeholderOf(name);
    if (known === undefined) return `${text} is no placeholder; there are ${KNOWN}`;
    if (!patterns.some(({ from, to }) => from < index && index < to)) {
      return `${text} is a regular expression and stands in the text of a matcher =~ or !~, such as ${known.label}=~"${text}"`;
    }
  }
  return undefined;
}

/** A query with the names of what a run has hit, or why it cannot be asked. Pure. */
export function filledQuery(
  query: string,
  hit: Hit,
): { readonly query: string } | { readonly problem: string } {
  const problems: string[] = [];
  const filled = query.replaceAll(PLACEHOLDER, (text, name: string) => {
    const known = placeholderOf(name);
    if (known === undefined) return text;
    const names = known.names(hit).filter((one) => known.problems(one).length === 0);
    if (names.length === 0) problems.push(`the run has hit ${known.what}, which this query asks for`);
    if (names.length > MOST_NAMES) {
      problems.push(
        `the run has hit ${names.length} of what ${text} stands for, and a query names at most ${MOST_NAMES}`,
      );
    }
    return alternation(names);
  });
  const [problem] = problems;
  return problem === undefined ? { query: filled } : { problem };
}

function placeholderOf(name: string): Placeholder | undefined {
  const known = name.trim();
  return Object.hasOwn(PLACEHOLDERS, known) ? PLACEHOLDERS[known] : undefined;
}

/**
 * A regular expression for any of these names of Kubernetes, which have small letters, digits, dashes and dots. A dot alone means something
 * in it, and is written without a backslash: that would be another text in each kind of quotes.
 */
function alternation(names: readonly string[]): string {
  return `(?:${names.map((name) => name.replaceAll('.', '[.]')).join('|')})`;
}

/** Where in a query the texts of its matchers `=~` and `!~` are, with their quotes. */
function patternsOf(query: string): { readonly from: number; readonly to: number }[] {
  const patterns: { from: number; to: number }[] = [];
  for (let at = 0; at < query.length; at += 1) {
    const sign = query[at];
    if (sign === '#') at = endOf(query, '\n', at);
    if (sign !== '"' && sign !== "'" && sign !== '`') continue;
    const to = endOf(query, sign, at);
    if (/[=!]~\s*$/.test(query.slice(Math.max(0, at - OPERATOR_ROOM), at))) patterns.push({ from: at, to });
    at = to;
  }
  return patterns;
}

/** How far before a text its operator is looked for. */
const OPERATOR_ROOM = 20;

/** Where the next sign of a kind is that is not written with a backslash; the end of the query where there is none. */
function endOf(query: string, sign: string, from: number): number {
  for (let at = from + 1; at < query.length; at += 1) {
    if (query[at] === sign) return at;
    if (query[at] === '\\' && (sign === '"' || sign === "'")) at += 1;
  }
  return query.length;
}
