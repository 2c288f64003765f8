import { isIPv4, isIPv6 } from 'node:net';
import type { Answer } from 'dns-packet';
import { addressOfLabel, type Zone } from './zone.ts';

/** A question: a name without the dot at its end, and a record type in capitals. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
}

/** What the zone says to a question. */
type Resolution =
  | { readonly kind: 'answer'; readonly answers: readonly Answer[]; readonly additionals: readonly Answer[] }
  /** The name leads out of the zone: `answers` up to there, the rest is for the servers outside. */
  | { readonly kind: 'alias'; readonly answers: readonly Answer[]; readonly target: string }
  /** The name exists and has no records of this type. */
  | { readonly kind: 'empty'; readonly authorities: readonly Answer[] }
  /** The name does not exist. */
  | { readonly kind: 'unknown'; readonly authorities: readonly Answer[] }
  /** Not a name of this zone. */
  | { readonly kind: 'forward' };

/** Seconds an answer may be kept: as short as CoreDNS' default, since pods come and go. */
const TTL_SECONDS = 5;
/** More aliases in a row than this are a circle. */
const MAX_ALIASES = 8;
/** Version of the specification that is served, as asked for by `dns-version.<zone>`. */
const SPECIFICATION_VERSION = '1.1.0';

/**
 * The cluster's answer to a question; pure.
 *
 * Missing names of the zone are `unknown`, everything else is for the servers outside; so are addresses
 * without a name, which may well have one there.
 */
export function resolve(zone: Zone, question: DnsQuestion): Resolution {
  const name = question.name.toLowerCase();
  const { type } = question;
  const reverse = addressOfReverseName(name);
  if (reverse !== undefined) return resolvePointer(zone, question, reverse);
  if (name !== zone.domain && !name.endsWith(`.${zone.domain}`)) return { kind: 'forward' };
  if (name === zone.domain && (type === 'SOA' || type === 'NS')) {
    const data = `ns.dns.${zone.domain}`;
    return answer(type === 'SOA' ? [startOfAuthority(zone)] : [record(question.name, 'NS', data)]);
  }
  if (name === `dns-version.${zone.domain}`) {
    return type === 'TXT'
      ? answer([{ name: question.name, type: 'TXT', ttl: TTL_SECONDS, data: SPECIFICATION_VERSION }])
      : { kind: 'empty', authorities: [startOfAuthority(zone)] };
  }
  return resolveName(zone, question, []);
}

/** The record that says who is responsible, and for how long "not there" may be remembered (RFC 2308). */
function startOfAuthority(zone: Zone): Answer {
  const data = {
    mname: `ns.dns.${zone.domain}`,
    rname: `hostmaster.${zone.domain}`,
    serial: 1,
    refresh: 7200,
    retry: 1800,
    expire: 86_400,
    minimum: TTL_SECONDS,
  };
  return { name: zone.domain, type: 'SOA', ttl: TTL_SECONDS, data };
}

function resolveName(zone: Zone, { name, type }: DnsQuestion, before: readonly Answer[]): Resolution {
  const key = name.toLowerCase();
  const entry = zone.entries.get(key);
  const authorities = [startOfAuthority(zone)];
  if (entry === undefined) {
    const address = addressOfPodName(zone, key);
    // An alias that leads nowhere is still an answer.
    if (address === undefined) return before.length > 0 ? answer(before) : { kind: 'unknown', authorities };
    const found = ofAddresses(name, type, [address]);
    return found.length > 0 ? answer([...before, ...found]) : { kind: 'empty', authorities };
  }
  if (entry.alias !== undefined) return resolveAlias(zone, { name, type }, entry.alias, before);
  if (type === 'SRV' && entry.services.length > 0) {
    const answers = entry.services.map((data): Answer => ({ name, type: 'SRV', ttl: TTL_SECONDS, data }));
    const targets = [...new Set(entry.services.map(({ target }) => target))];
    const additionals = targets.flatMap((target) =>
      ofAddresses(target, 'ANY', zone.entries.get(target)?.addresses ?? []),
    );
    return { kind: 'answer', answers: [...before, ...answers], additionals };
  }
  const found = ofAddresses(name, type, entry.addresses);
  if (found.length > 0 || before.length > 0) return answer([...before, ...found]);
  return { kind: 'empty', authorities };
}

function resolveAlias(
  zone: Zone,
  { name, type }: DnsQuestion,
  target: string,
  before: readonly Answer[],
): Resolution {
  const answers = [...before, record(name, 'CNAME', target)];
  if (type === 'CNAME' || answers.length > MAX_ALIASES) return answer(answers);
  const isInside = target.toLowerCase().endsWith(`.${zone.domain}`);
  return isInside ? resolveName(zone, { name: target, type }, answers) : { kind: 'alias', answers, target };
}

function resolvePointer(zone: Zone, { name, type }: DnsQuestion, address: string): Resolution {
  const names = zone.pointers.get(address);
  if (names === undefined) return { kind: 'forward' };
  if (type !== 'PTR' && type !== 'ANY') return { kind: 'empty', authorities: [startOfAuthority(zone)] };
  return answer(names.map((target) => record(name, 'PTR', target)));
}

function answer(answers: readonly Answer[]): Resolution {
  return { kind: 'answer', answers, additionals: [] };
}

function record(name: string, type: 'A' | 'AAAA' | 'CNAME' | 'NS' | 'PTR', data: string): Answer {
  return { name, type, ttl: TTL_SECONDS, data };
}

function ofAddresses(name: string, type: string, addresses: readonly string[]): Answer[] {
  return addresses
    .map((address) => record(name, isIPv4(address) ? 'A' : 'AAAA', address))
    .filter((found) => found.type === type || type === 'ANY');
}

/** `<a-b-c-d>.<namespace>.pod.<zone>`: an address in other words, whether or not a pod has it. */
function addressOfPodName(zone: Zone, name: string): string | undefined {
  const [label = '', namespace = '', pod, ...rest] = name.split('.');
  if (pod !== 'pod' || rest.join('.') !== zone.domain || namespace === '') return undefined;
  return addressOfLabel(label);
}

const REVERSE_V4 = '.in-addr.arpa';
const REVERSE_V6 = '.ip6.arpa';

/** The address in a reverse name, in the form in which Kubernetes writes it; undefined for other names. */
function addressOfReverseName(name: string): string | undefined {
  if (name.endsWith(REVERSE_V4)) {
    const address = name.slice(0, -REVERSE_V4.length).split('.').reverse().join('.');
    return isIPv4(address) ? address : undefined;
  }
  if (!name.endsWith(REVERSE_V6)) return undefined;
  const digits = name.slice(0, -REVERSE_V6.length).split('.').reverse();
  if (digits.length !== 32 || digits.some((digit) => !/^[0-9a-f]$/.test(digit))) return undefined;
  const groups = Array.from({ length: 8 }, (_, at) => digits.slice(at * 4, at * 4 + 4).join(''));
  // The URL parser writes addresses in their shortest form, which is the usual one.
  const address = new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
  return isIPv6(address) ? address : undefined;
}
