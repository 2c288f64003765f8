import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import { ExpressionError } from '../expression/errors.ts';
import type { Value } from '../expression/values.ts';
import { isLoop } from '../kinds/loop.ts';
import type { Arguments, Artifact, Parameter } from '../kinds/parameters.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { WorkflowStep } from '../kinds/template.ts';
import { type CallerScope, callerScope } from './caller-scope.ts';
import { expandLoop } from './concerns/expansion.ts';
import { evaluateWhen } from './concerns/when.ts';
import type { Draft } from './draft.ts';
import { frameOf } from './frame-of.ts';
import type { Element } from './frames.ts';
import { NodeError, nodeMessage } from './node-error.ts';
import { ABSENT_ARGUMENT, inputNames, locationOf } from './substitution/bind-inputs.ts';
import { leftOverExpression } from './substitution/left-over.ts';
import { ABSENT, layered, type Names, namesOf } from './substitution/names.ts';
import { evaluate, substitute } from './substitution/render.ts';

/** Everything that a step of a boundary may name. */
export function namesFor(draft: Draft, boundary: NodeStatus): Names & Pick<CallerScope, 'artifact'> {
  const scope = callerScope(draft, boundary);
  const inputs = namesOf(inputNames(frameOf(draft, boundary).template));
  const names = layered(scope, inputs, draft.globals);
  const artifact = (name: string): Artifact | undefined =>
    scope.artifact(name) ?? globalArtifact(draft, name);
  return { ...names, artifact };
}

function globalArtifact(draft: Draft, name: string): Artifact | undefined {
  const [, kind, artifact] = /^workflow\.(outputs\.)?artifacts\.(.+)$/.exec(name) ?? [];
  const list = kind === undefined ? draft.run.spec.arguments?.artifacts : draft.status.outputs?.artifacts;
  return list?.find((candidate) => candidate.name === artifact);
}

/**
 * What a step or task stands for, with its tags replaced: one element, one for each of its loop, or one that says why nothing runs.
 * Whether it runs is decided before what it would need.
 *
 * @throws NodeError, ExpressionError
 */
export function resolveStep(draft: Draft, boundary: NodeStatus, step: WorkflowStep, prefix = ''): Element[] {
  const names = namesFor(draft, boundary);
  const pass = { ...draft.pass('last'), isRequired: isProducer };
  const prefixed = <T>(resolve: () => T): T => withPrefix(prefix, resolve);
  if (isLoop(step)) return resolveLoop(step, names, pass, prefixed);
  const when = prefixed(() => substituteText(step.when, names, pass));
  if (!prefixed(() => holds(when))) {
    return [{ name: step.name, step, skipped: skippedBy(when) }];
  }
  const { when: _decided, ...rest } = prefixed(() => located(filled(step, names, pass), names, pass));
  return [{ name: step.name, step: rest }];
}

/** @throws NodeError for a condition with an expression that names something which there is not */
function holds(when: string | undefined): boolean {
  const left = leftOverExpression(when);
  if (left !== undefined)
    throw new NodeError(`Invalid 'when' expression '${when}': failed to resolve ${left}`);
  return evaluateWhen(when);
}

function skippedBy(when: string | undefined): string {
  return `when '${when}' evaluated false`;
}

const isEvery = (): boolean => true;

/** The elements of a loop. What their tags stand for is looked up in all scopes at once, with `item` among them. */
function resolveLoop(
  step: WorkflowStep,
  names: StepNames,
  pass: Pass,
  prefixed: <T>(resolve: () => T) => T,
): Element[] {
  const early = whenWithoutItem(step, names, pass);
  if (early !== undefined) return skippedLoop(step, names, pass, early);
  const outer = prefixed(() => filled(step, names, pass));
  const elements = expandLoop(outer) ?? [];
  if (elements.length === 0) return [{ name: step.name, step, skipped: EMPTY_LOOP }];
  const { withItems: _items, withParam: _param, withSequence: _sequence, when: _when, ...body } = outer;
  const isNested = /\{\{[^}]*\{\{/.test(JSON.stringify(body));
  return elements.map(({ name, item }): Element => {
    const all = { ...layered(item, names), artifact: names.artifact };
    const strict = { ...pass, isRequired: isEvery };
    const when = substituteText(outer.when, all, strict);
    if (!holds(when)) return { name, step: withoutNeeds(body, all, pass), skipped: skippedBy(when) };
    const once = filled(body, all, strict);
    const own = isNested ? filled(once, all, strict) : once;
    return { name, step: located(withHooks(own, item, pass), all, pass) };
  });
}

const EMPTY_LOOP = 'Skipped, empty params';

/** The condition of a loop, replaced, where it is false for all elements; undefined where elements have to decide. */
function whenWithoutItem(step: WorkflowStep, names: StepNames, pass: Pass): string | undefined {
  try {
    const when = substituteText(step.when, names, pass);
    return holds(when) ? undefined : when;
  } catch {
    // It names `item`, or it is wrong, which the elements say.
    return undefined;
  }
}

/** A loop that is not to run: a node for each element, or one where the elements are not known because of what did not run before. */
function skippedLoop(step: WorkflowStep, names: StepNames, pass: Pass, when: string): Element[] {
  const skipped = skippedBy(when);
  const { withItems, withParam, withSequence, name } = step;
  const loop = { name, ...withoutUndefined({ withItems, withParam, withSequence }) };
  let elements: ReturnType<typeof expandLoop>;
  try {
    elements = expandLoop(substitute(loop, names, pass)) ?? [];
  } catch {
    return [{ name, step, skipped }];
  }
  if (elements.length === 0) return [{ name, step, skipped: EMPTY_LOOP }];
  return elements.map((element) => ({
    name: element.name,
    step: withoutNeeds(step, layered(element.item, names), pass),
    skipped,
  }));
}

/** A step that does not run: only what it calls is filled in. */
function withoutNeeds(step: WorkflowStep, names: Names, pass: Pass): WorkflowStep {
  const { template, templateRef } = step;
  return { ...step, ...substitute(withoutUndefined({ template, templateRef }), names, later(pass)) };
}

function withPrefix<T>(prefix: string, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    throw new NodeError(prefix + nodeMessage(error), { cause: error });
  }
}

/** Arguments of a hook, resolved when it starts: they may name outputs of the node that it hangs on. */
export function resolveArguments(
  draft: Draft,
  args: Arguments | undefined,
  names: StepNames,
): Arguments | undefined {
  if (args === undefined) return undefined;
  const pass = { ...draft.pass('last'), isRequired: isProducer };
  return withLocations(withFilled(args, names, pass), names, pass);
}

type Pass = Parameters<typeof substitute>[2];
type StepNames = ReturnType<typeof namesFor>;

/** Other steps have to be over before a step begins, so what they do not give will never be there. */
function isProducer(name: string): boolean {
  // The name of the step itself is known to the template that is called.
  if (name === 'steps.name' || name === 'tasks.name') return false;
  // A tag within a tag comes first: `{{steps.gen-{{item}}.outputs.result}}`.
  if (name.includes('{{')) return false;
  return /^(?:steps|tasks)\./.test(name) && !name.includes('.outputs.artifacts.');
}

function substituteText(text: string | undefined, names: Names, pass: Pass): string | undefined {
  return text === undefined ? undefined : substitute({ text }, names, pass).text;
}

/** A step with its tags replaced; where artifacts lie is looked up by {@link located}. */
function filled(step: WorkflowStep, names: StepNames, pass: Pass): WorkflowStep {
  const { inline, hooks, arguments: args, ...rest } = step;
  const own = substitute(rest, names, pass);
  return {
    ...own,
    ...(args && { arguments: withFilled(args, names, pass) }),
    ...(inline && { inline: substitute(inline, names, later(pass)) }),
    ...(hooks && { hooks }),
  };
}

/** Hooks start later, and name what there is then; but what `item` stands for is known now. */
function withHooks(step: WorkflowStep, item: Names, pass: Pass): WorkflowStep {
  return step.hooks === undefined ? step : { ...step, hooks: substitute(step.hooks, item, later(pass)) };
}

function later(pass: Pass): Pass {
  return { ...pass, pass: 'later', isRequired: () => false };
}

/** A step whose artifacts have the locations of what they are taken from. */
function located(step: WorkflowStep, names: StepNames, pass: Pass): WorkflowStep {
  if (step.arguments === undefined) return step;
  return { ...step, arguments: withLocations(step.arguments, names, pass) };
}

/** An argument that is nothing but an absent output is as good as none: the input's default stands in. */
function withoutAbsent(args: Arguments, names: Names): Arguments {
  if (args.parameters === undefined) return args;
  const parameters = args.parameters.map((parameter): Parameter => {
    return isAbsentTag(parameter.value, names)
      ? { name: parameter.name, valueFrom: { default: ABSENT_ARGUMENT } }
      : parameter;
  });
  return { ...args, parameters };
}

/** Whether a text is one tag, of an output of a step that did not run and has no default for it. */
function isAbsentTag(text: string | undefined, names: Names): boolean {
  const tag = /^\{\{([^{}=]+)\}\}$/.exec(text?.trim() ?? '')?.[1]?.trim();
  return tag !== undefined && names.get(tag) === ABSENT;
}

/** Names of artifacts stay: they say where an artifact is taken from. */
function withFilled(given: Arguments, names: StepNames, pass: Pass): Arguments {
  const { artifacts, ...parameters } = withoutAbsent(given, names);
  const isRequired = (name: string): boolean =>
    !/(?:^|\.)artifacts\./.test(name) && pass.isRequired?.(name) === true;
  return {
    ...substitute(parameters, names, pass),
    ...(artifacts && { artifacts: substitute(artifacts, names, { ...pass, isRequired }) }),
  };
}

function withLocations(args: Arguments, names: StepNames, pass: Pass): Arguments {
  const artifacts = args.artifacts?.flatMap((artifact) => resolvedArtifact(artifact, names, pass));
  return { ...args, ...(artifacts && { artifacts }) };
}

function resolvedArtifact(artifact: Artifact, names: StepNames, pass: Pass): Artifact[] {
  const { from, fromExpression, ...rest } = artifact;
  if (from === undefined && fromExpression === undefined) return [artifact];
  const source =
    fromExpression === undefined
      ? names.artifact(tagIn(from ?? ''))
      : // An expression of an artifact names one.
        (computed(fromExpression, names, pass) as Artifact | null);
  if (source === undefined || source === null) {
    if (artifact.optional === true) return [];
    throw new NodeError(`Unable to resolve: "${fromExpression ?? tagIn(from ?? '')}"`);
  }
  const subPath = artifact.subPath === undefined ? undefined : substituteText(artifact.subPath, names, pass);
  return [withSubPath({ ...rest, ...locationOf(source) }, subPath)];
}

/** The name between braces: `{{steps.a.outputs.artifacts.b}}`. Pure. */
export function tagIn(text: string): string {
  return text.trim().replace(/^\{\{\s*|\s*\}\}$/g, '');
}

/** The value of an expression of an argument or an output. @throws NodeError */
export function computed(
  expression: string,
  names: Names & Pick<CallerScope, 'artifact'>,
  pass: Pick<Pass, 'random' | 'now'>,
): Value {
  try {
    return evaluate(expression, names, pass);
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    throw new NodeError(`failed to evaluate expression: ${cause.message}`, { cause });
  }
}

/** A path within an artifact lengthens the key of its location. */
function withSubPath(artifact: Artifact, subPath: string | undefined): Artifact {
  if (subPath === undefined) return artifact;
  const { subPath: _done, ...rest } = artifact;
  const located = Object.entries(locationOf(rest)).map(([kind, location]) => {
    const { key } = location as { key?: string };
    return [kind, key === undefined ? location : { ...(location as object), key: `${key}/${subPath}` }];
  });
  return { ...rest, ...Object.fromEntries(located) };
}
