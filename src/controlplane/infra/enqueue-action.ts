import { packText } from '../store/packed-text.ts';
import type { Tx } from '../store/transaction.ts';

/** Something that an agent is to do. The kinds are upstream's. */
interface NewAction {
  readonly infra: string;
  /** Unique; an agent that gets it twice does it once. */
  readonly requestId: string;
  readonly type: string;
  /** YAML or JSON; empty where the kind needs none. */
  readonly manifest?: string;
  readonly namespace?: string;
  readonly externalData?: string;
  /** Whoever has asked for it; becomes a label in the cluster. */
  readonly username: string;
  /** When nobody waits for it any more, in milliseconds since the epoch; absent: kept until it is done. */
  readonly expiresAt?: number;
}

/** The topic that the connection of an infrastructure's agent waits for. */
export function agentTopic(infra: string): string {
  return `agent:${infra}`;
}

/** Keeps an action for an agent, in the transaction of what it belongs to: the agent gets it now, or when it is back. */
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
