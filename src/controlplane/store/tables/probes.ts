import type { ProjectProbeType } from '../../../api/probe-types/index.ts';
import type { Authored, Flag, JsonText, Time } from './columns.ts';

/** A probe of a project. */
export interface ProbeRow extends Authored {
  readonly project_id: string;
  readonly name: string;
  readonly type: ProjectProbeType;
  /** Its entry in a manifest, without name, type and mode. */
  readonly body: JsonText;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  /** Number of its executions. */
  readonly executions: number;
  readonly removed: Flag;
}

/** A probe in a fault of a run. */
export interface ProbeExecutionRow {
  readonly run_key: string;
  /** Index of the fault in the run's revision. */
  readonly fault_index: number;
  readonly probe_name: string;
  readonly mode: string;
  readonly project_id: string;
  readonly experiment_id: string;
  readonly fault: string;
  readonly verdict: 'Passed' | 'Failed' | 'Awaited' | 'NA';
  readonly description: string;
  readonly updated_at: Time;
  readonly updated_by: string;
}
