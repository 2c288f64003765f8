import type { Generated } from 'kysely';
import type { Authored, Flag, JsonText, Time } from './columns.ts';

/** A webhook of a project. */
export interface WebhookRow extends Authored {
  readonly project_id: string;
  readonly id: string;
  readonly name: string;
  /** Sealed: addresses of chat services are secrets themselves. */
  readonly sealed_url: string;
  /** Scheme and host, which may be shown. */
  readonly shown_url: string;
  readonly format: 'GENERIC' | 'SLACK' | 'TEAMS';
  /** Selected events: `string[]`. */
  readonly events: JsonText;
  /** The key that signs bodies. */
  readonly sealed_secret: string;
  readonly enabled: Flag;
}

/** The delivery of an event to a webhook. */
export interface DeliveryRow {
  readonly seq: Generated<number>;
  /** The same in each attempt, so that a receiver can recognise duplicates. */
  readonly id: string;
  readonly project_id: string;
  readonly webhook_id: string;
  readonly event: string;
  /** The event: a `Notice`. */
  readonly body: JsonText;
  readonly state: 'WAITING' | 'DELIVERED' | 'DEAD';
  readonly attempts: number;
  /** Time of the next attempt. */
  readonly due_at: Time;
  /** Why the last attempt failed; empty if none failed. */
  readonly last_error: string;
  readonly created_at: Time;
  readonly done_at: Time | null;
}
