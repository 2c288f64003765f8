import type { Authored, Flag, JsonText, Time } from './columns.ts';

/** A hub of a project, except the default one. */
export interface HubRow extends Authored {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  readonly hub_type: 'GIT' | 'REMOTE';
  readonly repo_url: string;
  readonly repo_branch: string;
  /** Name of the service, such as `github`, as given by the client. */
  readonly remote_hub: string;
  readonly private: Flag;
  readonly auth_type: 'BASIC' | 'NONE' | 'SSH' | 'TOKEN';
  readonly user_name: string;
  /** Token, password or private key, sealed; null for none. */
  readonly sealed_secret: string | null;
  readonly ssh_public_key: string;
  /** Time of the last successful read; 0 before. */
  readonly synced_at: Time;
  /** Why the last read failed; empty if it succeeded. */
  readonly last_error: string;
  readonly removed: Flag;
}

/** The image registry of a project's experiments; a project without a row uses the default. */
export interface RegistryRow extends Authored {
  readonly project_id: string;
  readonly id: string;
  readonly is_default: Flag;
  readonly registry: string;
  readonly repository: string;
  readonly type: string;
  readonly secret_name: string;
  readonly secret_namespace: string;
  readonly enabled: Flag;
}
