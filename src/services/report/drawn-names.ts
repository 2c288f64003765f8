import { isGeneratedFrom } from '@turnsole/kube/text/generated-name';
import type { EngineReport, RunReport, WorkflowReport } from './model.ts';
import { renameReport } from './rename-report.ts';

/**
 * A report without what was drawn or counted for one run: objects with `generateName` have the name before the drawn letters, and workflows of a
 * CronWorkflow its name. A CI system shows a history of suites and tests by their names. Engines that would have the same name have that of their
 * step in the workflow too; objects whose names are still the same are numbered, in the order of their experiments. Pure.
 */
export function withoutDrawnNames(report: RunReport): RunReport {
  const { engines, workflows = [] } = report;
  const names = new Map([...stableNames(engines.toSorted(byExperiments)), ...stableNames(workflows)]);
  return renameReport(report, (name) => {
    const own = names.get(name);
    if (own !== undefined) return own;
    const owner = workflows.find((workflow) => /^[.[(]/.test(restAfter(name, workflow.name)));
    return owner === undefined
      ? name
      : `${names.get(owner.name) ?? owner.name}${restAfter(name, owner.name)}`;
  });
}

/** Names of objects of one kind whose names were drawn. */
function stableNames(objects: readonly (EngineReport | WorkflowReport)[]): Map<string, string> {
  const found = objects.map((one) => ({
    name: one.name,
    stable: stableName(one),
    step: 'step' in one ? one.step : undefined,
  }));
  const taken = new Set(found.filter(({ stable }) => stable === undefined).map(({ name }) => name));
  const names = new Map<string, string>();
  for (const { name, stable: stem, step } of found) {
    if (stem === undefined) continue;
    const isAlone = found.filter((one) => one.stable === stem).length === 1;
    const stable = isAlone || step === undefined ? stem : `${stem} (${step})`;
    let free = stable;
    for (let number = 2; taken.has(free); number += 1) free = `${stable} ${number}`;
    taken.add(free);
    names.set(name, free);
  }
  return names;
}

function stableName(object: EngineReport | WorkflowReport): string | undefined {
  if ('cron' in object && object.cron !== undefined) return object.cron;
  const { name, generateName } = object;
  if (generateName === undefined || !isGeneratedFrom(name, generateName)) return undefined;
  const stem = generateName.replace(/[-.]+$/, '');
  return stem === '' ? undefined : stem;
}

function restAfter(name: string, start: string): string {
  return name.startsWith(start) ? name.slice(start.length) : '';
}

function byExperiments(one: EngineReport, other: EngineReport): number {
  const key = ({ experiments }: EngineReport): string => experiments.map(({ name }) => name).join(' ');
  return key(one).localeCompare(key(other), 'en');
}
