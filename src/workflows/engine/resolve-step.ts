import { ExpressionError } from '../expression/errors.ts';
import type { Value } from '../expression/values.ts';
import { isLoop } from '../kinds/loop.ts';
import type { Arguments, Artifact, Parameter } from '../kinds/parameters.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { WorkflowStep } from '../kinds/template.ts';
import { type CallerScope, callerScope } from './caller-scope.ts';
import { expandStep } from './concerns/expansion.ts';
import { evaluateWhen } from './concerns/when.ts';
import type { Draft } from './draft.ts';
import { frameOf } from './frame-of.ts';
import type { Element } from './frames.ts';
import { NodeError, nodeMessage } from './node-error.ts';
import { ABSENT_ARGUMENT, inputNames, locationOf } from './substitution/bind-inputs.ts';
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
 *
 * @throws NodeError, ExpressionError
 */
export function resolveStep(draft: Draft, boundary: NodeStatus, step: WorkflowStep, prefix = ''): Element[] {
  const names = namesFor(draft, boundary);
  const pass = { ...draft.pass('last'), isRequired: isProducer };
  const prefixed = <T>(resolve: () => T): T => withPrefix(prefix, resolve);
  if (!isLoop(step)) {
    const when = prefixed(() => substituteText(step.when, names, pass));
    if (!prefixed(() => evaluateWhen(when))) {
      return [{ name: step.name, step, skipped: `when '${when}' evaluated false` }];
    }
    const { when: _decided, ...rest } = prefixed(() => resolved(step, names, pass));
    return [{ name: step.name, step: rest }];
  }
  const loop = prefixed(() => resolved(step, names, pass));
  const expanded = expandStep(loop, pass);
  if (expanded.length === 0) return [{ name: step.name, step, skipped: 'Skipped, empty params' }];
  return expanded.map(({ name, step: element }): Element => {
    const { when, ...rest } = element;
    if (evaluateWhen(when)) return { name, step: rest };
    return { name, step: element, skipped: `when '${when}' evaluated false` };
  });
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
  names: ReturnType<typeof namesFor>,
): Arguments | undefined {
  if (args === undefined) return undefined;
  const pass = { ...draft.pass('last'), isRequired: isProducer };
  return bound(args, names, pass);
}

type Pass = Parameters<typeof substitute>[2];

/** Other steps have to be over before a step begins, so what they do not give will never be there. */
function isProducer(name: string): boolean {
  // The name of the step itself is known to the template that is called.
  if (name === 'steps.name' || name === 'tasks.name') return false;
  return /^(?:steps|tasks)\./.test(name) && !name.includes('.outputs.artifacts.');
}

function substituteText(text: string | undefined, names: Names, pass: Pass): string | undefined {
  return text === undefined ? undefined : substitute({ text }, names, pass).text;
}

function resolved(step: WorkflowStep, names: ReturnType<typeof namesFor>, pass: Pass): WorkflowStep {
  const { inline, hooks, arguments: args, ...rest } = step;
  const own = substitute(rest, names, pass);
  return {
    ...own,
    ...(args && { arguments: bound(args, names, pass) }),
    ...(inline && { inline: substitute(inline, names, { ...pass, pass: 'later', isRequired: () => false }) }),
    ...(hooks && { hooks }),
  };
}

/** An argument that is nothing but an absent output is as good as none: the input's default stands in. */
function withoutAbsent(args: Arguments, names: Names): Arguments {
  if (args.parameters === undefined) return args;
  const parameters = args.parameters.map((parameter): Parameter => {
    const tag = /^\{\{([^{}=]+)\}\}$/.exec(parameter.value?.trim() ?? '')?.[1]?.trim();
    return tag !== undefined && names.get(tag) === ABSENT
      ? { name: parameter.name, valueFrom: { default: ABSENT_ARGUMENT } }
      : parameter;
  });
  return { ...args, parameters };
}

function bound(given: Arguments, names: ReturnType<typeof namesFor>, pass: Pass): Arguments {
  const args = substitute(withoutAbsent(given, names), names, pass);
  const artifacts = args.artifacts?.flatMap((artifact) => resolvedArtifact(artifact, names, pass));
  return { ...args, ...(artifacts && { artifacts }) };
}

function resolvedArtifact(artifact: Artifact, names: ReturnType<typeof namesFor>, pass: Pass): Artifact[] {
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
