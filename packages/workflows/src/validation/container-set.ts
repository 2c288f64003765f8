import type { Template } from '../kinds/template.ts';
import { checkNames, placedNames, TEMPLATE_NAME } from './field-names.ts';
import type { ProblemSink } from './problem.ts';
import { dependencyOrder } from './task-order.ts';

/** Rules for a set of containers: names, what they wait for, and the container that inputs and outputs belong to. */
export function checkContainerSet(
  problems: ProblemSink,
  template: Template,
  path: string,
  where: string,
): void {
  const { containerSet, inputs, outputs } = template;
  if (containerSet === undefined) return;
  const place = { path: `${path}.containerSet`, where: `${where}.containerSet` };
  const { containers = [] } = containerSet;
  if (containers.length === 0)
    problems.add(`${place.path}.containers`, `${place.where}.containers must have at least one container`);
  const names = placedNames(containers, `${place.path}.containers`, `${place.where}.containers`);
  checkNames(problems, names, TEMPLATE_NAME);
  checkMounts(problems, containerSet, place);
  checkDependencies(problems, containers, place);
  const passes = [inputs?.artifacts, outputs?.parameters, outputs?.artifacts].some(
    (list = []) => list.length > 0,
  );
  if (passes && !containers.some(({ name }) => name === 'main'))
    problems.add(
      `${place.path}.containers`,
      `${place.where}.containers must have a container named "main" for input or output`,
    );
}

type ContainerSet = NonNullable<Template['containerSet']>;

interface Place {
  readonly path: string;
  readonly where: string;
}

function checkMounts(
  problems: ProblemSink,
  { volumeMounts = [] }: ContainerSet,
  { path, where }: Place,
): void {
  const taken = new Map<string, string>();
  for (const [index, { name, mountPath }] of volumeMounts.entries()) {
    const before = taken.get(mountPath);
    if (before !== undefined)
      problems.add(
        `${path}.volumeMounts[${index}].mountPath`,
        `${where}.volumeMounts[${index}].mountPath '${mountPath}' already mounted in volumeMounts.${before}`,
      );
    taken.set(mountPath, name);
  }
}

function checkDependencies(
  problems: ProblemSink,
  containers: ContainerSet['containers'],
  { path, where }: Place,
): void {
  const names = new Set(containers.map(({ name }) => name));
  let isWhole = true;
  for (const [index, { name, dependencies = [] }] of containers.entries()) {
    for (const missing of dependencies.filter((one) => !names.has(one))) {
      isWhole = false;
      problems.add(
        `${path}.containers[${index}].dependencies`,
        `${where}.containers.${name} dependency '${missing}' not defined`,
      );
    }
  }
  const waitsFor = new Map(containers.map(({ name, dependencies = [] }) => [name, dependencies]));
  if (isWhole && dependencyOrder(waitsFor) === undefined)
    problems.add(
      `${path}.containers`,
      `${where}.containers dependency cycle detected: containers wait for each other`,
    );
}
