import type { Authored, Flag, JsonText, Time } from './columns.ts';

/** A project, the owner of environments, experiments, probes and hubs. */
export interface ProjectRow extends Authored {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  /** 1 after its deletion, while its data is being removed. */
  readonly removed: Flag;
}

/** A user's membership in a project, including unanswered invitations. */
export interface MemberRow {
  readonly project_id: string;
  readonly user_id: string;
  readonly role: 'Owner' | 'Executor' | 'Viewer';
  readonly invitation: 'Pending' | 'Accepted' | 'Declined' | 'Exited';
  readonly invited_at: Time;
  readonly joined_at: Time | null;
}

/** An environment: a named group of a project's infrastructures. */
export interface EnvironmentRow extends Authored {
  readonly project_id: string;
  /** Chosen by the client; unique in its project. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  readonly type: 'PROD' | 'NON_PROD';
  readonly removed: Flag;
}
