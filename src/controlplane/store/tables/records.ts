import type { Generated } from 'kysely';
import type { JsonText, Time } from './columns.ts';

/** Something that changed in a project, for those who watch it. Pruned when it is old: who was away longer reads anew. */
export interface ChangeRow {
  readonly seq: Generated<number>;
  readonly project_id: string;
  /** What kind of object: `run`, `experiment`, `infra` … */
  readonly kind: string;
  readonly object_id: string;
  /** What a watcher needs beside the ID; empty object where it reads the object itself. */
  readonly body: JsonText;
  readonly at: Time;
}

/** One line of the audit log. */
export interface AuditRow {
  readonly seq: Generated<number>;
  readonly at: Time;
  /** Null where the change belongs to no project, such as a new user. */
  readonly project_id: string | null;
  /** `user`, `agent`, or `server` for what it did by itself (a schedule, a time limit). */
  readonly actor_kind: 'user' | 'agent' | 'server' | 'nobody';
  readonly actor_id: string;
  readonly actor_name: string;
  /** Network address that the request came from. */
  readonly address: string;
  readonly operation: string;
  readonly object_kind: string;
  readonly object_id: string;
  /** The object before and after, without secrets; null where there was or is none. */
  readonly before: JsonText | null;
  readonly after: JsonText | null;
}

/** What the server keeps about itself. */
export interface SettingRow {
  readonly key: string;
  readonly value: string;
}
