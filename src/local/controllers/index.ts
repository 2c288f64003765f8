/** The controllers of the embedded cluster. See README.md. */
export { InformerFactory, type InformerFactoryOptions } from './shared/informers.ts';
export type { ControllerOptions } from './shared/options.ts';
export { type RunningControllers, type StartControllersOptions, startControllers } from './start.ts';
