import { checkCall, checkCallTags, checkHooks, type PlacedCall, placeCall } from './calls.ts';
import { CALL_NAME, checkNames } from './field-names.ts';
import { unknownTags } from './scope.ts';
import { hasOutputList, resultNames } from './template-scope.ts';
import type { VisitedTemplate, Walk } from './walk.ts';

/** Rules for a template of steps: a step may name those in the groups before its own. */
export function checkSteps(walk: Walk, visited: VisitedTemplate): void {
  const { template, found, prefix } = visited;
  const { problems } = walk;
  const where = `templates.${template.name ?? ''}`;
  const groups = (template.steps ?? []).map((group, index) =>
    group.map((step, place) =>
      placeCall(
        walk,
        visited,
        step,
        `${found.path}.steps[${index}][${place}]`,
        `${where}.steps[${index}].${step.name}`,
      ),
    ),
  );
  checkStepNames(problems, groups, `${prefix}${where}`);
  let { scope } = visited;
  for (const group of groups) {
    for (const placed of group) {
      const own = resultNames(`steps.${placed.call.name}`, placed.found, hasOutputList(placed.call));
      checkCallTags(walk, placed, `${prefix}${where}.steps `, scope, own);
      checkCall(walk, placed, prefix);
      checkHooks(walk, placed.call.hooks, found.object, { path: placed.path, where: placed.where, prefix });
    }
    const results = group.map(({ call, found: called }) =>
      resultNames(`steps.${call.name}`, called, hasOutputList(call)),
    );
    scope = scope.with(
      results.flatMap(({ names }) => names),
      results.flatMap(({ prefixes }) => prefixes),
    );
  }
  for (const { path, tag } of unknownTags(template.outputs, scope, '.outputs'))
    problems.add(`${found.path}${path}`, `${prefix}${where}.outputs failed to resolve ${tag}`);
}

/** Names are unique over all groups; the sentence names the group only. */
function checkStepNames(
  problems: Walk['problems'],
  groups: readonly (readonly PlacedCall[])[],
  where: string,
): void {
  const names = groups.flatMap((group, index) =>
    group.map(({ call, path }) => ({ name: call.name, path, where: `${where}.steps[${index}]` })),
  );
  checkNames(problems, names, CALL_NAME);
}
