import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { Mark } from './cluster.ts';
import { outputOf, type Scenario } from './scenario.ts';

/** What went wrong in a run; empty when nothing did. Pure. */
export function problemsOf(
  { pods }: Scenario,
  { status }: Workflow,
  marks: readonly Mark[],
): readonly string[] {
  const problems: string[] = [];
  if (status?.phase !== 'Succeeded') {
    const failed = Object.values(status?.nodes ?? {}).filter(
      ({ phase }) => phase === 'Failed' || phase === 'Error',
    );
    const nodes = failed.map(({ name, message }) => `${name}: ${message ?? ''}`).join('; ');
    problems.push(`the workflow ended ${status?.phase} (${status?.message ?? ''}): ${nodes}`);
  }
  for (const [node, { takes }] of pods) {
    const own = marks.filter((mark) => mark.node === node);
    if (own.length !== 1) problems.push(`node ${node} ran ${own.length} times`);
    const taken = own[0]?.args[1];
    if (takes !== undefined && taken !== takes)
      problems.push(`node ${node} took ${taken} instead of ${takes}`);
  }
  for (const { node } of marks) if (!pods.has(node)) problems.push(`node ${node} ran and should not`);
  for (const node of Object.values(status?.nodes ?? {})) {
    if (node.phase === 'Pending' || node.phase === 'Running')
      problems.push(`node ${node.name} is ${node.phase}`);
    if (node.type !== 'Pod' || pods.get(node.name)?.gives !== true) continue;
    const value = node.outputs?.parameters?.find(({ name }) => name === 'out')?.value;
    if (value !== outputOf(node.name)) problems.push(`node ${node.name} has the output ${value}`);
  }
  return problems;
}
