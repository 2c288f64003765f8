import type { Random } from '@turnsole/kube/runtime/index';
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { type DnsAnswer, type DnsQuery, RCODE, type Rcode, readQuery, writeAnswer } from './message.ts';
import { resolve } from './resolve.ts';
import type { Upstream } from './upstream.ts';
import type { Zone } from './zone.ts';

/** What answering needs. */
interface ResponderOptions {
  /** The zone as it is now. */
  readonly zone: () => Zone;
  readonly upstream: Pick<Upstream, 'ask'>;
  readonly random: Random;
  /** A question for the servers outside had no answer. */
  readonly onUpstreamProblem: (error: unknown) => void;
}

/** The answer to a message as bytes; undefined for what must not be answered. Never rejects. */
export async function respond(
  message: Buffer,
  transport: 'udp' | 'tcp',
  options: ResponderOptions,
): Promise<Buffer | undefined> {
  const incoming = readQuery(message);
  if (incoming.kind !== 'query') return incoming.kind === 'refused' ? incoming.response : undefined;
  const { query } = incoming;
  try {
    const answer = await answerTo(query, message, transport, options);
    return Buffer.isBuffer(answer) ? answer : writeAnswer(query, answer, transport);
  } catch (error) {
    options.onUpstreamProblem(error);
    return writeAnswer(query, { rcode: RCODE.failed, isAuthoritative: false }, transport);
  }
}

async function answerTo(
  query: DnsQuery,
  message: Buffer,
  transport: 'udp' | 'tcp',
  { zone, upstream, random }: ResponderOptions,
): Promise<DnsAnswer | Buffer> {
  const resolution = resolve(zone(), query.question);
  const isAuthoritative = true;
  switch (resolution.kind) {
    case 'forward':
      return await upstream.ask(message, transport);
    case 'unknown':
      return { rcode: RCODE.unknown, isAuthoritative, authorities: resolution.authorities };
    case 'empty':
      return { rcode: RCODE.ok, isAuthoritative, authorities: resolution.authorities };
    case 'answer': {
      const { answers, additionals } = resolution;
      return { rcode: RCODE.ok, isAuthoritative, answers: shuffleAddresses(answers, random), additionals };
    }
    case 'alias': {
      const found = await askOutside(upstream, resolution.target, query.question.type);
      const answers = [...resolution.answers, ...found.answers];
      return { rcode: found.rcode, isAuthoritative: false, answers };
    }
  }
}

/** Resolves the rest of an alias outside, over TCP when it is long. */
async function askOutside(
  upstream: Pick<Upstream, 'ask'>,
  name: string,
  type: string,
): Promise<{ rcode: Rcode; answers: Answer[] }> {
  const question = encode({
    type: 'query',
    flags: RECURSION_DESIRED,
    // The type came out of the same package's decoder, so its encoder knows it.
    questions: [{ name, type: type as 'A' }],
  });
  const first = decode(await upstream.ask(question, 'udp'));
  const packet = first.flag_tc ? decode(await upstream.ask(question, 'tcp')) : first;
  const rcode = (packet.flags ?? 0) & 0xf;
  const isKnown = rcode === RCODE.ok || rcode === RCODE.unknown;
  return { rcode: isKnown ? rcode : RCODE.failed, answers: packet.answers ?? [] };
}

/** Addresses in a random order, behind whatever aliases lead to them: most clients take the first. */
function shuffleAddresses(answers: readonly Answer[], random: Random): Answer[] {
  const isAddress = ({ type }: Answer): boolean => type === 'A' || type === 'AAAA';
  const shuffled = answers
    .filter(isAddress)
    .map((answer) => ({ answer, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ answer }) => answer);
  return [...answers.filter((answer) => !isAddress(answer)), ...shuffled];
}
