/** The runner: one run of one engine. See README.md. */
export { RunOverError } from './engine-status.ts';
export { RUNNER_PERMISSIONS } from './permissions.ts';
export { type RunEngineInput, runEngine } from './run-engine.ts';
export { type RunnerIo, runRunner } from './run-runner.ts';
export { type RunnerSettings, RunnerSettingsError, readRunnerSettings } from './settings.ts';
