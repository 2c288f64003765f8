import type { Phase } from './actions.ts';

/** An Event of the operator: reason and text are those of the compatibility reference. */
export interface EngineEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'ChaosEngineInitialized'
    | 'ChaosEngineCompleted'
    | 'ChaosEngineStopped'
    | 'RestartInProgress'
    | 'ChaosResourcesOperationFailed'
    | 'SettingsNotUsed';
  readonly message: string;
}

/** The Events of an engine's life, in one place. */
export const ENGINE_EVENTS = {
  initialized: (engine: string): EngineEvent =>
    normal('ChaosEngineInitialized', `Identifying app under test & launching ${engine}-runner`),
  completed: (): EngineEvent =>
    normal(
      'ChaosEngineCompleted',
      'ChaosEngine completed, will delete or retain the resources according to jobCleanUpPolicy',
    ),
  stopped: (): EngineEvent => normal('ChaosEngineStopped', 'Chaos resources deleted successfully'),
  restarted: (): EngineEvent => normal('RestartInProgress', 'ChaosEngine is restarted'),
  failed: (phase: Phase, detail: string): EngineEvent => ({
    type: 'Warning',
    reason: 'ChaosResourcesOperationFailed',
    message: `(${phase}) ${detail}`,
  }),
  notUsed: (detail: string): EngineEvent => ({ type: 'Warning', reason: 'SettingsNotUsed', message: detail }),
} as const;

function normal(reason: EngineEvent['reason'], message: string): EngineEvent {
  return { type: 'Normal', reason, message };
}
