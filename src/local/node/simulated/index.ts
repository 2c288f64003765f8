/** Pods that run by rules without processes. See README.md. */
export { SimulatedAddresses } from './addresses.ts';
export type { ContainerPlan, PodPlan, SimulatedRun, SimulationRule } from './plan.ts';
export { Simulation, type SimulationOptions } from './simulation.ts';
