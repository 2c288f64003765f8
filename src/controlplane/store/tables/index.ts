import type { ExperimentRow, RevisionRow } from './experiments.ts';
import type { GitOpsFileRow, GitOpsRow } from './gitops.ts';
import type { HaltRow } from './halts.ts';
import type { HubRow, RegistryRow } from './hubs.ts';
import type { ActionRow, InfraRow, ReplyRow } from './infras.ts';
import type { DeliveryRow, WebhookRow } from './notifications.ts';
import type { ProbeExecutionRow, ProbeRow } from './probes.ts';
import type { EnvironmentRow, MemberRow, ProjectRow } from './projects.ts';
import type { AuditRow, ChangeRow, SettingRow } from './records.ts';
import type { RunCounterRow, RunDataRow, RunDurationRow, RunRecordRow, RunRow } from './runs.ts';
import type { LoginFailureRow, OidcLoginRow, SessionRow, UserRow } from './users.ts';

/** All tables of the store, by name: one file of row types for each part. The migrations create them. */
export interface Tables {
  readonly users: UserRow;
  readonly sessions: SessionRow;
  readonly oidc_logins: OidcLoginRow;
  readonly login_failures: LoginFailureRow;
  readonly projects: ProjectRow;
  readonly members: MemberRow;
  readonly environments: EnvironmentRow;
  readonly infras: InfraRow;
  readonly actions: ActionRow;
  readonly replies: ReplyRow;
  readonly halts: HaltRow;
  readonly hubs: HubRow;
  readonly registries: RegistryRow;
  readonly gitops: GitOpsRow;
  readonly gitops_files: GitOpsFileRow;
  readonly experiments: ExperimentRow;
  readonly revisions: RevisionRow;
  readonly runs: RunRow;
  readonly run_data: RunDataRow;
  readonly run_records: RunRecordRow;
  readonly run_counters: RunCounterRow;
  readonly run_durations: RunDurationRow;
  readonly probes: ProbeRow;
  readonly probe_executions: ProbeExecutionRow;
  readonly changes: ChangeRow;
  readonly audit: AuditRow;
  readonly settings: SettingRow;
  readonly webhooks: WebhookRow;
  readonly deliveries: DeliveryRow;
}
