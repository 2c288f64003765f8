/** The scheduler of the embedded cluster. See README.md. */
export { type StartSchedulerOptions, startScheduler } from './start.ts';
