import type { RunReport } from '../../services/report/model.ts';

/**
 * A report in which a run has the name of its experiment: each run is an object of its own, whose name ends with the time, and a CI system shows
 * a history of suites and tests by their names. Pure.
 */
export function withStableNames(report: RunReport, runName: string, experimentName: string): RunReport {
  const stable = (name: string): string =>
    runName !== '' && name.startsWith(runName) ? experimentName + name.slice(runName.length) : name;
  return {
    ...report,
    engines: report.engines.map((engine) => ({
      ...engine,
      name: stable(engine.name),
      experiments: engine.experiments.map((one) => ({ ...one, name: stable(one.name) })),
    })),
    ...(report.workflows !== undefined && {
      workflows: report.workflows.map((workflow) => ({
        ...workflow,
        name: stable(workflow.name),
        nodes: workflow.nodes.map((node) => ({
          ...node,
          name: stable(node.name),
          displayName: stable(node.displayName),
        })),
      })),
    }),
  };
}
