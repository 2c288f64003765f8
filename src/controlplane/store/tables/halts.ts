import type { Flag, Time } from './columns.ts';

/** What was last asked of an infrastructure's safety lever. */
export interface HaltRow {
  readonly infra_id: string;
  readonly project_id: string;
  /** 1 when all chaos was to stop, 0 when it was allowed again. */
  readonly halted: Flag;
  readonly reason: string;
  readonly asked_by: string;
  readonly asked_at: Time;
  /** Of the action, whose outcome is the agent's word; null where the agent has no lever. */
  readonly request_id: string | null;
}
