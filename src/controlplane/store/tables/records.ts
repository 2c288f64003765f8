import type { Generated } from 'kysely';
import type { JsonText, Time } from './columns.ts';

/** A change in a project, for its watchers. Old ones are deleted: a watcher that was away longer has to read everything again. */
export interface ChangeRow {
  readonly seq: Generated<number>;
  readonly project_id: string;
  /** Kind of the object: `run`, `experiment`, `infra` … */
  readonly kind: string;
  readonly object_id: string;
  /** Data for watchers beside the ID; an empty object if they read the object itself. */
  readonly body: JsonText;
  readonly at: Time;
}

/** One line of the audit log. */
export interface AuditRow {
  readonly seq: Generated<number>;
  readonly at: Time;
  /** Null for a change outside of projects, such as a new user. */
  readonly project_id: string | null;
  /** `user`, `agent`, or `server` for its own changes (a schedule, a time limit). */
  readonly actor_kind: 'user' | 'agent' | 'server' | 'nobody';
  readonly actor_id: string;
  readonly actor_name: string;
  /** Network address that the request came from. */
  readonly address: string;
  readonly operation: string;
  readonly object_kind: string;
  readonly object_id: string;
  /** The object before and after, without secrets; null if there is none. */
  readonly before: JsonText | null;
  readonly after: JsonText | null;
}

/** A setting that the server stores itself. */
export interface SettingRow {
  readonly key: string;
  readonly value: string;
}
