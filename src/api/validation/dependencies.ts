import { type FieldError, invalid, notFound } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { suggest } from '@turnsole/kube/schema/suggest';
import type { EngineExperiment } from '../schema/engine.ts';

/** Experiments that wait for each other: those named must be there, and nothing may wait for itself in the end. */
export function validateDependencies(
  experiments: readonly EngineExperiment[],
  path: readonly PathSegment[],
): FieldError[] {
  const names = new Set(experiments.map(({ name }) => name));
  const errors: FieldError[] = [];
  for (const [index, { dependsOn }] of experiments.entries()) {
    for (const [item, dependency] of (dependsOn ?? []).entries()) {
      if (names.has(dependency)) continue;
      const near = suggest(dependency, names);
      const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
      const problem = `no experiment of this engine has that name${hint}`;
      errors.push(notFound([...path, index, 'dependsOn', item], dependency, problem));
    }
  }
  const circle = findCircle(experiments);
  if (circle !== undefined) {
    const index = experiments.findIndex(({ name }) => name === circle[0]);
    const problem = `none of them can ever start: ${circle.join(' waits for ')}`;
    errors.push(invalid([...path, index, 'dependsOn'], experiments[index]?.dependsOn, problem));
  }
  return errors;
}

/** A path along dependencies that ends where it began, or undefined. Iterative, so that a long list is no danger. */
function findCircle(experiments: readonly EngineExperiment[]): string[] | undefined {
  const dependencies = new Map(experiments.map(({ name, dependsOn }) => [name, dependsOn ?? []]));
  const done = new Set<string>();
  for (const start of dependencies.keys()) {
    const trail: { name: string; rest: string[] }[] = [
      { name: start, rest: [...(dependencies.get(start) ?? [])] },
    ];
    while (trail.length > 0) {
      const current = trail.at(-1);
      if (current === undefined || done.has(current.name)) {
        trail.pop();
        continue;
      }
      const next = current.rest.shift();
      if (next === undefined) {
        done.add(current.name);
        trail.pop();
        continue;
      }
      const at = trail.findIndex(({ name }) => name === next);
      if (at >= 0) return [...trail.slice(at).map(({ name }) => name), next];
      if (!done.has(next)) trail.push({ name: next, rest: [...(dependencies.get(next) ?? [])] });
    }
  }
  return undefined;
}
