import { type Answer, decode, encode } from 'dns-packet';
import type { DnsQuestion } from './resolve.ts';

/** Response codes (RFC 1035, 4.1.1). */
export const RCODE = { ok: 0, malformed: 1, failed: 2, unknown: 3, notImplemented: 4, refused: 5 } as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];

/** A question as it came, with what its answer has to repeat. */
export interface DnsQuery {
  readonly id: number;
  readonly isRecursionDesired: boolean;
  readonly question: DnsQuestion;
  /** The bytes of the question as they came: some clients mix capitals and compare. */
  readonly questionBytes: Buffer;
  /** The client speaks EDNS (RFC 6891) and accepts answers of this many bytes over UDP. */
  readonly payloadBytes: number | undefined;
}

/** What came in: a question, something to refuse, or something not to answer at all. */
type Incoming =
  | { readonly kind: 'query'; readonly query: DnsQuery }
  | { readonly kind: 'refused'; readonly response: Buffer }
  | { readonly kind: 'ignored' };

/** The sections of an answer. */
export interface DnsAnswer {
  readonly rcode: Rcode;
  readonly isAuthoritative: boolean;
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
  readonly additionals?: readonly Answer[];
}

const HEADER_BYTES = 12;
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;
/** Without EDNS no answer over UDP may be larger (RFC 1035, 4.2.1). */
const PLAIN_UDP_BYTES = 512;
/** Answers over UDP are kept below the smallest usual MTU, whatever the client offers (DNS flag day 2020). */
const EDNS_UDP_BYTES = 1232;
/** The most TCP can carry. */
const MAX_MESSAGE_BYTES = 65_535;
/** EDNS and a signature may come with a question. */
const MAX_ADDITIONALS = 2;
const IS_RESPONSE = 0x8000;
const OPCODE = 0x7800;
const AUTHORITATIVE = 0x0400;
const TRUNCATED = 0x0200;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;
const CLASS_IN = 1;
/** A pointer to the question's name, which always stands behind the header (RFC 1035, 4.1.4). */
const POINTER_TO_QUESTION = Buffer.from([0xc0, HEADER_BYTES]);

/** Reads a message; pure. Never throws, whatever the bytes are. */
export function readQuery(message: Buffer): Incoming {
  // Answering an answer, or what has no id, would let two servers talk to each other for ever.
  if (message.length < HEADER_BYTES) return { kind: 'ignored' };
  const flags = message.readUInt16BE(2);
  if ((flags & IS_RESPONSE) !== 0) return { kind: 'ignored' };
  if ((flags & OPCODE) !== 0) return refuse(message, RCODE.notImplemented);
  // Checked before anything is decoded: the decoder makes room for as many records as a header claims.
  const counts = [4, 6, 8, 10].map((at) => message.readUInt16BE(at));
  const [questions, answers, authorities, additionals = 0] = counts;
  if (questions !== 1 || answers !== 0 || authorities !== 0 || additionals > MAX_ADDITIONALS) {
    return refuse(message, RCODE.malformed);
  }
  const end = endOfQuestion(message);
  if (end === undefined) return refuse(message, RCODE.malformed);
  if (message.readUInt16BE(end - 2) !== CLASS_IN) return refuse(message, RCODE.refused);
  try {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (question === undefined) return refuse(message, RCODE.malformed);
    const edns = packet.additionals?.find((entry) => entry.type === 'OPT');
    return {
      kind: 'query',
      query: {
        id: message.readUInt16BE(0),
        isRecursionDesired: (flags & RECURSION_DESIRED) !== 0,
        question: { name: question.name === '.' ? '' : question.name, type: question.type },
        questionBytes: message.subarray(HEADER_BYTES, end),
        payloadBytes: edns?.type === 'OPT' ? edns.udpPayloadSize : undefined,
      },
    };
  } catch {
    return refuse(message, RCODE.malformed);
  }
}

/**
 * An answer as bytes, of at most as many as the way back allows; pure. Over UDP, records that do not fit are left out and the
 * truncation bit is set: clients then ask again over TCP, or make do with what they have.
 */
export function writeAnswer(query: DnsQuery, answer: DnsAnswer, transport: 'udp' | 'tcp'): Buffer {
  const edns = query.payloadBytes === undefined ? [] : [ednsRecord()];
  const limit = transport === 'tcp' ? MAX_MESSAGE_BYTES : udpLimit(query.payloadBytes);
  let room =
    limit - HEADER_BYTES - query.questionBytes.length - edns.reduce((sum, { length }) => sum + length, 0);
  let isTruncated = false;
  const fit = (records: readonly Answer[] = []): Buffer[] => {
    const kept: Buffer[] = [];
    for (const record of records) {
      const bytes = recordBytes(record, query.question.name);
      if (bytes.length > room) return kept;
      room -= bytes.length;
      kept.push(bytes);
    }
    return kept;
  };
  const answers = fit(answer.answers);
  if (answers.length < (answer.answers?.length ?? 0)) isTruncated = true;
  const authorities = fit(answer.authorities);
  // Additional records are a kindness; leaving them out is no truncation (RFC 2181, 9).
  const additionals = isTruncated ? [] : fit(answer.additionals);
  const flags =
    IS_RESPONSE |
    RECURSION_AVAILABLE |
    (answer.isAuthoritative ? AUTHORITATIVE : 0) |
    (isTruncated ? TRUNCATED : 0) |
    (query.isRecursionDesired ? RECURSION_DESIRED : 0) |
    answer.rcode;
  const header = Buffer.alloc(HEADER_BYTES);
  const words = [query.id, flags, 1, answers.length, authorities.length, additionals.length + edns.length];
  for (const [at, word] of words.entries()) header.writeUInt16BE(word, at * 2);
  return Buffer.concat([header, query.questionBytes, ...answers, ...authorities, ...additionals, ...edns]);
}

function udpLimit(payloadBytes: number | undefined): number {
  return Math.min(Math.max(payloadBytes ?? PLAIN_UDP_BYTES, PLAIN_UDP_BYTES), EDNS_UDP_BYTES);
}

function refuse(message: Buffer, rcode: Rcode): Incoming {
  const response = Buffer.alloc(HEADER_BYTES);
  response.writeUInt16BE(message.readUInt16BE(0), 0);
  const kept = message.readUInt16BE(2) & (OPCODE | RECURSION_DESIRED);
  response.writeUInt16BE(IS_RESPONSE | RECURSION_AVAILABLE | kept | rcode, 2);
  return { kind: 'refused', response };
}

/** Where the first question ends; undefined when its name is not well-formed. A question has no earlier name to point back to. */
function endOfQuestion(message: Buffer): number | undefined {
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > MAX_LABEL_BYTES || at - HEADER_BYTES > MAX_NAME_BYTES)
      return undefined;
    at += 1 + length;
    if (length === 0) break;
  }
  const end = at + 4;
  return end <= message.length ? end : undefined;
}

/** One record as bytes. The encoder repeats names in full; a pointer to the question's lets five times as many fit. */
function recordBytes(record: Answer, questionName: string): Buffer {
  if (record.name.toLowerCase() !== questionName.toLowerCase() || questionName === '') return bare(record);
  // Encoded under the root's name, which is one byte, and the pointer put in its place.
  return Buffer.concat([POINTER_TO_QUESTION, bare({ ...record, name: '.' }).subarray(1)]);
}

function ednsRecord(): Buffer {
  return bare({
    name: '.',
    type: 'OPT',
    udpPayloadSize: EDNS_UDP_BYTES,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  });
}

function bare(record: Answer): Buffer {
  return encode({ type: 'response', answers: [record] }).subarray(HEADER_BYTES);
}
