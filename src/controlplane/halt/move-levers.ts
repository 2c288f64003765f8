import { recordChange } from '../access/audit.ts';
import { type Context, userOf } from '../access/context.ts';
import { enqueueAction } from '../infra/enqueue-action.ts';
import { notify } from '../notification/notify.ts';
import { projectScope } from '../store/store.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Tx } from '../store/transaction.ts';

/** An order for all levers of a project. */
interface LeverOrder {
  readonly project: string;
  readonly halts: boolean;
  /** Why; empty for a release. */
  readonly reason: string;
}

/** Orders the agents of a project to pull or release their levers. Offline agents do so when they reconnect. */
export async function moveLevers(order: LeverOrder, context: Context): Promise<void> {
  const { project, halts, reason } = order;
  const { username } = userOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const infras = await tx.db
      .selectFrom('infras')
      .select(['id', 'flavour'])
      .where('project_id', '=', project)
      .where('removed', '=', 0)
      .execute();
    for (const infra of infras) await moveLever(tx, infra, order, context);
    const after = { halted: halts, reason, infras: infras.map(({ id }) => id) };
    await recordChange(tx, context, { project, kind: 'halt', id: project, after });
    if (!halts) return;
    await notify(tx, {
      project,
      event: 'HALTED',
      summary: `${username} has halted all chaos of the project${reason === '' ? '' : `: ${reason}`}`,
      details: { by: username, reason, infrastructures: infras.length },
    });
  });
}

async function moveLever(
  tx: Tx,
  { id, flavour }: Pick<InfraRow, 'id' | 'flavour'>,
  { project, halts, reason }: LeverOrder,
  context: Context,
): Promise<void> {
  const { username } = userOf(context);
  // LitmusChaos' agents would ignore it, and its operator has no lever.
  const requestId = flavour === 'turnsole' ? context.plane.ids.id() : null;
  const row = {
    infra_id: id,
    project_id: project,
    halted: halts ? 1 : 0,
    reason,
    asked_by: username,
    asked_at: tx.now,
    request_id: requestId,
  } as const;
  const former = tx.db.selectFrom('halts').select('request_id').where('infra_id', '=', id);
  // Hides the outcome of the previous order; if the agent has not received that yet, it still gets it first.
  await tx.db
    .deleteFrom('actions')
    .where('request_id', 'in', former)
    .where('done_at', 'is not', null)
    .execute();
  await tx.db
    .insertInto('halts')
    .values(row)
    .onConflict((conflict) => conflict.column('infra_id').doUpdateSet(row))
    .execute();
  if (requestId === null) return;
  const type = halts ? 'halt' : 'resume';
  const externalData = JSON.stringify({ reason, by: username });
  await enqueueAction(tx, { infra: id, requestId, type, externalData, username });
}
