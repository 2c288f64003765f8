import { isIP } from 'node:net';

/** What a resolv.conf says (resolv.conf(5)). */
export interface ResolverConfig {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  /** As written, such as `ndots:5`. */
  readonly options: readonly string[];
}

/** Reads a resolv.conf; pure. What is not understood is passed over, as resolvers do. */
export function parseResolvConf(text: string): ResolverConfig {
  const nameservers: string[] = [];
  let searches: string[] = [];
  const options: string[] = [];
  for (const line of text.split('\n')) {
    if (/^\s*[#;]/.test(line)) continue;
    const [keyword, ...values] = line.trim().split(/\s+/);
    const [value] = values;
    if (keyword === 'nameserver' && value !== undefined && isIP(value) > 0) nameservers.push(value);
    // The last one counts, and so do both words for it.
    if (keyword === 'search' || keyword === 'domain') searches = values.filter((domain) => domain !== '.');
    if (keyword === 'options') options.push(...values);
  }
  return { nameservers, searches, options };
}
