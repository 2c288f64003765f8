import { packText } from '../store/packed-text.ts';
import type { Tx } from '../store/transaction.ts';

/** A new action for an agent. The kinds are upstream's. */
interface NewAction {
  readonly infra: string;
  /** Unique; an agent that receives it twice carries it out once. */
  readonly requestId: string;
  readonly type: string;
  /** YAML or JSON; empty for kinds without one. */
  readonly manifest?: string;
  readonly namespace?: string;
  readonly externalData?: string | null;
  /** The requesting user; becomes a label in the cluster. */
  readonly username: string;
  /** When its client stops waiting, in milliseconds since the epoch; absent: kept until it is done. */
  readonly expiresAt?: number;
}

/** The topic that wakes the connection of an infrastructure's agent. */
export function agentTopic(infra: string): string {
  return `agent:${infra}`;
}

/** Stores an action for an agent, in the transaction of the change: the agent gets it now, or when it reconnects. */
export async function enqueueAction(tx: Tx, action: NewAction): Promise<void> {
  await tx.db
    .insertInto('actions')
    .values({
      infra_id: action.infra,
      request_id: action.requestId,
      request_type: action.type,
      manifest: packText(action.manifest ?? ''),
      namespace: action.namespace ?? '',
      external_data: action.externalData ?? null,
      username: action.username,
      created_at: tx.now,
      expires_at: action.expiresAt ?? null,
      sent_at: null,
      done_at: null,
      outcome: null,
    })
    .execute();
  tx.wake(agentTopic(action.infra));
}
