import { isIP } from 'node:net';
import { parseResolvConf } from '@turnsole/kube/text/resolv-conf';

/**
 * The group of the process that intercepts: it distinguishes the process's own questions from those that the pod asks through it. Any
 * number does that no process of a pod has.
 */
export const INTERCEPTOR_GROUP = 53_053;

/** The names to hit, and how; JSON. */
export type DnsRule =
  /** @param names none: all names */
  | { readonly kind: 'error'; readonly names: readonly string[]; readonly scheme: 'exact' | 'substring' }
  /** @param names name → name or address */
  | { readonly kind: 'spoof'; readonly names: Readonly<Record<string, string>> };

/** What a pod's resolv.conf says (resolv.conf(5)); JSON. */
export interface Resolvers {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
  readonly ndots: number;
}

/** What becomes of a question. */
type DnsDecision =
  | { readonly kind: 'forward' }
  /** The name does not exist. */
  | { readonly kind: 'nxdomain' }
  | { readonly kind: 'address'; readonly address: string }
  /** Answered with what these names have, the first that has something. */
  | { readonly kind: 'name'; readonly candidates: readonly string[] };

/**
 * What becomes of a question for a name. Case and the final dot do not matter. A name that the user gave without the domain
 * that the pod's resolver appends is meant as well. Pure.
 */
export function decideAnswer(
  rule: DnsRule,
  question: { readonly name: string; readonly type: string },
  resolvers: Pick<Resolvers, 'search' | 'ndots'>,
): DnsDecision {
  const asked = normal(question.name);
  if (rule.kind === 'error') {
    const isHit =
      rule.names.length === 0 || rule.names.some((name) => matches(rule.scheme, name, asked, resolvers));
    return isHit ? { kind: 'nxdomain' } : { kind: 'forward' };
  }
  if (question.type !== 'A' && question.type !== 'AAAA') return { kind: 'forward' };
  // An exact name has precedence over one that only becomes the same with a search domain.
  const entries = Object.entries(rule.names);
  const found =
    entries.find(([name]) => normal(name) === asked) ??
    entries.find(([name]) => matches('exact', name, asked, resolvers));
  const value = found?.[1].trim();
  if (value === undefined) return { kind: 'forward' };
  if (isIP(value) !== 0) return { kind: 'address', address: value };
  return { kind: 'name', candidates: candidates(value, resolvers) };
}

/** The full names a resolver would ask for, in its order. Pure. */
export function candidates(name: string, { search, ndots }: Pick<Resolvers, 'search' | 'ndots'>): string[] {
  if (name.endsWith('.')) return [normal(name)];
  const own = normal(name);
  const searched = search.map((domain) => `${own}.${normal(domain)}`);
  return own.split('.').length - 1 >= ndots ? [own, ...searched] : [...searched, own];
}

/** Reads a resolv.conf for who asks on the pod's behalf: the wildcard addresses are no servers that could be asked. Pure. */
export function parseResolvers(text: string): Resolvers {
  const { nameservers, searches, options } = parseResolvConf(text);
  const dots = options.flatMap((option) => /^ndots:(\d+)$/.exec(option)?.[1] ?? []).at(-1);
  return {
    nameservers: nameservers.filter((address) => address !== '0.0.0.0' && address !== '::'),
    search: searches,
    ndots: Number(dots ?? 1),
  };
}

function matches(
  scheme: 'exact' | 'substring',
  name: string,
  asked: string,
  { search }: Pick<Resolvers, 'search'>,
): boolean {
  const wanted = normal(name);
  if (scheme === 'substring') return asked.includes(wanted);
  return asked === wanted || search.some((domain) => asked === `${wanted}.${normal(domain)}`);
}

function normal(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}
