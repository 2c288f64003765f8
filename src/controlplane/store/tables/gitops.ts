import type { JsonText, Time } from './columns.ts';
import type { HubRow } from './hubs.ts';

/** The repository that a project's experiments are kept in. */
export interface GitOpsRow {
  readonly project_id: string;
  readonly repo_url: string;
  readonly branch: string;
  readonly auth_type: HubRow['auth_type'];
  readonly user_name: string;
  /** Token, password or private key, sealed; null for none. */
  readonly sealed_secret: string | null;
  /** The commit that both sides agreed on last; empty before the first time. */
  readonly latest_commit: string;
  /** When both sides were the same, 0 before; and when that was looked at. */
  readonly synced_at: Time;
  readonly checked_at: Time;
  /** Why the repository could not be read or written the last time; empty when it could. */
  readonly last_error: string;
  /** `GitProblem[]`: what of the repository could not be taken over. */
  readonly problems: JsonText;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
}

/** Where an experiment stands in the repository, and what both sides were when they were the same. */
export interface GitOpsFileRow {
  readonly project_id: string;
  readonly experiment_id: string;
  readonly path: string;
  /** Of the document. */
  readonly name: string;
  readonly hash: string;
  readonly revision_id: string;
}
