/** How the open ledger entries of a dead experiment are recovered, for all who may have to: see README.md of the room. */
export {
  closedEntries,
  decideRecovery,
  describeLeft,
  RECOVERY_LIMIT_MS,
  type RecoveryAttempt,
  type RecoveryStep,
} from './decide-recovery.ts';
export { RECOVER_VARIABLE, recoveryJob, recoveryJobName } from './recovery-job.ts';
export { type RecoveryTemplate, recoveryTemplate } from './template.ts';
