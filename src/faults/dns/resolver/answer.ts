import { isIPv4 } from 'node:net';
import type { Transport } from '@turnsole/kube/base/ask-name-server';
import dnsPacket, { type Answer, type DecodedPacket, type Question } from 'dns-packet';
import { type DnsRule, decideAnswer, type Resolvers } from './decide-answer.ts';
import { ask } from './upstream.ts';

/** Response code of a name that does not exist, and of a server that cannot answer (RFC 1035, section 4.1.1). */
const NXDOMAIN = 3;
const SERVFAIL = 2;
/** Short, so that no cache keeps it when the fault is over. */
const TTL_SECONDS = 1;

/** Input of an answer. */
export interface AnswerContext {
  readonly rule: DnsRule;
  readonly resolvers: Resolvers;
  readonly transport: Transport;
  /** Called with each question, and whether it is hit. */
  readonly onQuestion?: (name: string, isHit: boolean) => void;
}

/** The answer to a DNS message; undefined for a message that is no question. Questions that are not hit are passed on as they are. */
export async function answer(query: Buffer, context: AnswerContext): Promise<Buffer | undefined> {
  const packet = decode(query);
  const question = packet?.questions?.[0];
  if (packet === undefined || question === undefined || packet.type === 'response') return undefined;
  const { rule, resolvers, transport } = context;
  const decision = decideAnswer(rule, question, resolvers);
  context.onQuestion?.(question.name, decision.kind !== 'forward');
  switch (decision.kind) {
    case 'forward':
      return ask(query, resolvers.nameservers, transport).catch(() => reply(packet, [], SERVFAIL));
    case 'nxdomain':
      return reply(packet, [], NXDOMAIN);
    case 'address': {
      const type = isIPv4(decision.address) ? 'A' : 'AAAA';
      const record = { type, name: question.name, ttl: TTL_SECONDS, data: decision.address } as const;
      return reply(packet, question.type === type ? [record] : []);
    }
    case 'name':
      return spoof(packet, question, decision.candidates, context);
  }
}

/** The records of the other name, under the requested name. */
async function spoof(
  packet: DecodedPacket,
  question: Question,
  names: readonly string[],
  { resolvers, transport }: AnswerContext,
): Promise<Buffer> {
  let best: { readonly records: readonly Answer[]; readonly code: number } = { records: [], code: NXDOMAIN };
  for (const name of names) {
    const query = dnsPacket.encode({
      type: 'query',
      id: 0,
      flags: dnsPacket.RECURSION_DESIRED,
      questions: [{ ...question, name }],
    });
    const found = await askName(query, resolvers, transport);
    if (found === undefined) return reply(packet, [], SERVFAIL);
    if (found.rcode === 'NXDOMAIN') continue;
    const records = (found.answers ?? []).map((record) => renamed(record, name, question.name));
    if (records.length > 0) return reply(packet, records);
    // It exists, but has no address of this family.
    best = { records: [], code: 0 };
  }
  return reply(packet, best.records, best.code);
}

async function askName(
  query: Buffer,
  { nameservers }: Resolvers,
  transport: Transport,
): Promise<(DecodedPacket & { readonly rcode?: string }) | undefined> {
  try {
    let message = await ask(query, nameservers, transport);
    if (decode(message)?.flag_tc === true) message = await ask(query, nameservers, 'tcp');
    return decode(message);
  } catch {
    return undefined;
  }
}

function renamed(record: Answer, from: string, to: string): Answer {
  const isOwn = record.name.toLowerCase().replace(/\.$/, '') === from;
  const short = 'ttl' in record ? { ttl: TTL_SECONDS } : {};
  return { ...record, ...short, ...(isOwn ? { name: to } : {}) };
}

function reply(packet: DecodedPacket, answers: readonly Answer[], code = 0): Buffer {
  const flags = (packet.flag_rd ? dnsPacket.RECURSION_DESIRED : 0) | dnsPacket.RECURSION_AVAILABLE | code;
  return dnsPacket.encode({
    type: 'response',
    id: packet.id ?? 0,
    flags,
    questions: packet.questions ?? [],
    answers: [...answers],
  });
}

function decode(message: Buffer): DecodedPacket | undefined {
  try {
    return dnsPacket.decode(message);
  } catch {
    return undefined;
  }
}
