import type { Flag, JsonText, Time } from './columns.ts';

/** A hub of a project; the one that every project has is not here. */
export interface HubRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  readonly hub_type: 'GIT' | 'REMOTE';
  readonly repo_url: string;
  readonly repo_branch: string;
  /** Name of the service, such as `github`, as the client has said it. */
  readonly remote_hub: string;
  readonly private: Flag;
  readonly auth_type: 'BASIC' | 'NONE' | 'SSH' | 'TOKEN';
  readonly user_name: string;
  /** Token, password or private key, sealed; null for none. */
  readonly sealed_secret: string | null;
  readonly ssh_public_key: string;
  /** When it was last read with success; 0 before. */
  readonly synced_at: Time;
  /** Why it could not be read the last time; empty when it could. */
  readonly last_error: string;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
  readonly removed: Flag;
}

/** Where the images of a project's experiments come from; a project without a row has the default. */
export interface RegistryRow {
  readonly project_id: string;
  readonly id: string;
  readonly is_default: Flag;
  readonly registry: string;
  readonly repository: string;
  readonly type: string;
  readonly secret_name: string;
  readonly secret_namespace: string;
  readonly enabled: Flag;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
}
