import type { Flag, Time } from './columns.ts';

/** The last order for an infrastructure's safety lever. */
export interface HaltRow {
  readonly infra_id: string;
  readonly project_id: string;
  /** 1 for a halt, 0 for its end. */
  readonly halted: Flag;
  readonly reason: string;
  readonly asked_by: string;
  readonly asked_at: Time;
  /** Id of the action, whose outcome the agent reports; null if the agent has no lever. */
  readonly request_id: string | null;
}
