import { dnsLabelProblems, subdomainProblems } from '@turnsole/kube/text/names';

/** Values of the placeholders of a query: names of what a run has hit. */
interface Hit {
  readonly namespaces: readonly string[];
  readonly pods: readonly string[];
}

/** A placeholder: its names, their validation, and its description. */
interface Placeholder {
  readonly names: (hit: Hit) => readonly string[];
  readonly problems: (name: string) => readonly string[];
  readonly what: string;
  /** A label to compare it with. */
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
/** A query with more names would be too long. */
const MOST_NAMES = 500;

/** Why the placeholders of a query cannot be used like this; undefined if they can. Pure. */
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

/** A query with the names of what a run has hit, or why it cannot be sent. Pure. */
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
 * A regular expression for any of these names of Kubernetes, which have small letters, digits, dashes and dots. Only the dot is special,
 * and is escaped without a backslash, which would need another form in each kind of quotes.
 */
function alternation(names: readonly string[]): string {
  return `(?:${names.map((name) => name.replaceAll('.', '[.]')).join('|')})`;
}

/** Positions of the texts of the matchers `=~` and `!~` in a query, with their quotes. */
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

/** Characters before a text in which to look for its operator. */
const OPERATOR_ROOM = 20;

/** Position of the next unescaped quote of a kind; the end of the query if there is none. */
function endOf(query: string, sign: string, from: number): number {
  for (let at = from + 1; at < query.length; at += 1) {
    if (query[at] === sign) return at;
    if (query[at] === '\\' && (sign === '"' || sign === "'")) at += 1;
  }
  return query.length;
}
