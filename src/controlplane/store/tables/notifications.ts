import type { Generated } from 'kysely';
import type { Flag, JsonText, Time } from './columns.ts';

/** Where a project has its events told. */
export interface WebhookRow {
  readonly project_id: string;
  readonly id: string;
  readonly name: string;
  /** Sealed: addresses of chat services are secrets themselves. */
  readonly sealed_url: string;
  /** Scheme and host, which may be shown. */
  readonly shown_url: string;
  readonly format: 'GENERIC' | 'SLACK' | 'TEAMS';
  /** Events that are told: `string[]`. */
  readonly events: JsonText;
  /** What bodies are signed with. */
  readonly sealed_secret: string;
  readonly enabled: Flag;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
}

/** An event on its way to a webhook. */
export interface DeliveryRow {
  readonly seq: Generated<number>;
  /** The same in each attempt, so that a receiver knows what it has. */
  readonly id: string;
  readonly project_id: string;
  readonly webhook_id: string;
  readonly event: string;
  /** The event as it was: a `Notice`. */
  readonly body: JsonText;
  readonly state: 'WAITING' | 'DELIVERED' | 'DEAD';
  readonly attempts: number;
  /** When it is tried next. */
  readonly due_at: Time;
  /** Why the last attempt failed; empty where none has. */
  readonly last_error: string;
  readonly created_at: Time;
  readonly done_at: Time | null;
}
