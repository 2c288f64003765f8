import type { Authored, JsonText, Time } from './columns.ts';
import type { HubRow } from './hubs.ts';

/** The repository of a project's experiments. */
export interface GitOpsRow extends Authored {
  readonly project_id: string;
  readonly repo_url: string;
  readonly branch: string;
  readonly auth_type: HubRow['auth_type'];
  readonly user_name: string;
  /** Token, password or private key, sealed; null for none. */
  readonly sealed_secret: string | null;
  /** The last synchronised commit; empty before the first one. */
  readonly latest_commit: string;
  /** Time of the last synchronisation, 0 before; and of the last pass. */
  readonly synced_at: Time;
  readonly checked_at: Time;
  /** Why the last pass failed; empty if it succeeded. */
  readonly last_error: string;
  /** `GitProblem[]`: documents that could not be imported. */
  readonly problems: JsonText;
  /** `Baseline`; null before the first pass, and of repositories that an earlier version has connected. */
  readonly baseline: JsonText | null;
}

/** The place of an experiment in the repository, and the state that both sides agreed on. */
export interface GitOpsFileRow {
  readonly project_id: string;
  readonly experiment_id: string;
  readonly path: string;
  /** Name of the document. */
  readonly name: string;
  readonly hash: string;
  readonly revision_id: string;
}
