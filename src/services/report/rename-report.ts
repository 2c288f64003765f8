import type { RunReport } from './model.ts';

/**
 * A report in which runs have other names: those of engines and workflows, with what refers to them, and those of nodes and experiments that
 * begin with the name of their workflow. Pure.
 *
 * @param nameOf the name in place of a name
 */
export function renameReport(report: RunReport, nameOf: (name: string) => string): RunReport {
  const referenceOf = (reference: string): string => {
    const [namespace = '', name = ''] = reference.split('/');
    return `${namespace}/${nameOf(name)}`;
  };
  return {
    ...report,
    engines: report.engines.map((engine) => ({
      ...engine,
      name: nameOf(engine.name),
      ...(engine.workflow !== undefined && { workflow: nameOf(engine.workflow) }),
      experiments: engine.experiments.map((one) => ({ ...one, name: nameOf(one.name) })),
    })),
    ...(report.workflows !== undefined && {
      workflows: report.workflows.map((workflow) => ({
        ...workflow,
        name: nameOf(workflow.name),
        engines: workflow.engines.map(referenceOf),
        nodes: workflow.nodes.map((node) => ({
          ...node,
          name: nameOf(node.name),
          displayName: nameOf(node.displayName),
        })),
      })),
    }),
  };
}
