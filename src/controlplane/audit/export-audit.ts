import { Readable } from 'node:stream';
import type { Context } from '../access/context.ts';
import { optionalChoice, optionalCount, optionalText, readFields } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { richAnswer } from '../http/rest.ts';
import { type AuditFilter, type AuditLine, allAuditLines, auditLines } from './audit-lines.ts';
import { cursorOf, seqOf } from './cursor.ts';
import { timeOf } from './list-audit.ts';

const DEFAULT_LIMIT = 50;
const FIELDS = {
  project: optionalText(),
  actor: optionalText(),
  operation: optionalText(),
  kind: optionalText(),
  object: optionalText(),
  from: optionalText(40),
  to: optionalText(40),
  limit: optionalCount(1, 500),
  after: optionalText(40),
  format: optionalChoice(['json', 'jsonl']),
};

/** The audit log over REST: a page as JSON, or all matching lines as JSON lines. @throws Refusal */
export async function getAudit(args: Arguments, context: Context): Promise<object> {
  const { from, to, limit = DEFAULT_LIMIT, after, format, ...given } = readFields(args, FIELDS);
  const filter: AuditFilter = {
    project: context.member?.project ?? (given.project || undefined),
    actor: given.actor || undefined,
    operation: given.operation || undefined,
    objectKind: given.kind || undefined,
    objectId: given.object || undefined,
    from: timeOf(from, 'from'),
    to: timeOf(to, 'to'),
  };
  const below = after ? seqOf(after) : undefined;
  const { read } = context.plane.store;
  if (format === 'jsonl') {
    return richAnswer({
      headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
      body: Readable.from(textLines(allAuditLines(read, filter, below))),
    });
  }
  const lines = await auditLines(read, filter, limit + 1, below);
  const shown = lines.slice(0, limit);
  const last = shown.at(-1);
  const next = last !== undefined && lines.length > limit ? cursorOf(last.seq) : null;
  return { data: { entries: shown.map(asRecord), next } };
}

async function* textLines(lines: AsyncIterable<AuditLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(asRecord(line))}\n`;
}

/** A line for programs: times readable, objects as JSON. */
function asRecord(line: AuditLine): object {
  return {
    id: line.seq,
    time: new Date(line.at).toISOString(),
    project: line.project_id,
    actor: { kind: line.actor_kind, id: line.actor_id, name: line.actor_name },
    address: line.address,
    operation: line.operation,
    object: { kind: line.object_kind, id: line.object_id },
    before: line.before === null ? null : (JSON.parse(line.before) as unknown),
    after: line.after === null ? null : (JSON.parse(line.after) as unknown),
  };
}
