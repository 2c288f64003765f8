import type { Tx } from '../store/transaction.ts';
import type { Caller } from './caller.ts';
import type { Context } from './context.ts';

/** What an operation has changed. */
interface AuditedChange {
  /** Undefined for objects outside of projects, such as a new user. */
  readonly project?: string;
  /** `experiment`, `member` … */
  readonly kind: string;
  readonly id: string;
  /** The object as clients see it, without secrets; absent if it did not exist. */
  readonly before?: object | undefined;
  /** Absent if it was deleted. */
  readonly after?: object | undefined;
}

/** Writes a line of the audit log in the transaction of the change, so that both are stored or neither. */
export async function audit(tx: Tx, context: Context, change: AuditedChange): Promise<void> {
  const { before, after } = change;
  await tx.db
    .insertInto('audit')
    .values({
      at: tx.now,
      project_id: change.project ?? null,
      ...actor(context.caller),
      address: context.origin.address,
      operation: context.operation,
      object_kind: change.kind,
      object_id: change.id,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    })
    .execute();
}

/** Writes the line of a change of a project's object, and tells the watchers of the project. */
export async function recordChange(
  tx: Tx,
  context: Context,
  change: AuditedChange & { readonly project: string },
): Promise<void> {
  const { project, kind, id } = change;
  await audit(tx, context, change);
  await tx.change({ project, kind, id });
}

function actor(caller: Caller): { actor_kind: Caller['kind']; actor_id: string; actor_name: string } {
  switch (caller.kind) {
    case 'user':
      return { actor_kind: 'user', actor_id: caller.id, actor_name: caller.username };
    case 'agent':
      return { actor_kind: 'agent', actor_id: caller.infra, actor_name: '' };
    case 'server':
    case 'nobody':
      return { actor_kind: caller.kind, actor_id: '', actor_name: '' };
  }
}
