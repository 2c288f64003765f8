import type { EnvVar } from '@turnsole/kube/kinds/core';
import { splitList } from '@turnsole/kube/text/split-list';
import type { ChaosEngine } from '../api/schema/engine.ts';
import { DEFAULT_PROTECTED_NAMESPACES } from './protected-namespaces.ts';
import { TIGHTENING_FLAGS, wantsDryRun } from './run-record.ts';

/** An experiment whose image is not known to be Turnsole's. */
interface ForeignExperiment {
  /** With the kept settings in it (`restoreEngine`). */
  readonly engine: ChaosEngine;
  /** What its container gets (`composeExperimentEnv`): chart and engine may set other targets than the engine's selectors. */
  readonly env: readonly EnvVar[];
  readonly image: string;
  /** PROTECTED_NAMESPACES of the operator; empty: the default. */
  readonly protectedNamespaces: string;
}

/**
 * Why the runner must not start an image that is not known to be Turnsole's: the engine asks for safety settings that the program in
 * the image has to keep, and a foreign program does not know them. Undefined when it may be started. Pure.
 */
export function refusalOfForeign(foreign: ForeignExperiment): string | undefined {
  const { engine, image } = foreign;
  const asked = askedFor(engine);
  if (asked.length > 0) {
    return (
      `image ${image} is not known to obey ${asked.join(' and ')}, which only the program in it could; use Turnsole's image, or ` +
      'name this one in TURNSOLE_KNOWN_IMAGES of the operator if it does'
    );
  }
  const namespaces = protectedTargets(foreign);
  if (namespaces.length === 0) return undefined;
  return (
    `image ${image} is not known to spare protected namespaces, and the targets are in ${namespaces.join(', ')}; choose ` +
    `other targets, or set ALLOW_PROTECTED_NAMESPACES to ${namespaces.join(',')} in the env of the experiment if that is meant`
  );
}

/** Those of the engine's safety settings that only the experiment's own program can keep. */
function askedFor(engine: ChaosEngine): string[] {
  return [
    ...(wantsDryRun(engine) ? ['spec.dryRun'] : []),
    ...TIGHTENING_FLAGS.filter((flag) => flag !== 'dryRun' && engine.spec[flag] === true).map(
      (flag) => `spec.${flag}`,
    ),
    ...(engine.spec.annotationCheck === 'true' ? ['spec.annotationCheck'] : []),
  ];
}

function protectedTargets({ env, protectedNamespaces }: ForeignExperiment): string[] {
  const valueOf = (variable: string): string => env.find(({ name }) => name === variable)?.value ?? '';
  const operators = splitList(protectedNamespaces);
  const isProtected = operators.length === 0 ? DEFAULT_PROTECTED_NAMESPACES : operators;
  const allowed = splitList(valueOf('ALLOW_PROTECTED_NAMESPACES'));
  const entries = valueOf('TARGETS')
    .split(';')
    .flatMap((target) => target.split(':')[1]?.trim() || []);
  // Pods that are named without TARGETS are those of the experiment's own namespace.
  const isByName = entries.length === 0 && splitList(valueOf('TARGET_PODS')).length > 0;
  const targeted = isByName ? [valueOf('CHAOS_NAMESPACE')] : entries;
  return [...new Set(targeted)].filter((name) => isProtected.includes(name) && !allowed.includes(name));
}

/** Paths of the settings for the order of experiments that upstream's runner does not know. Pure. */
export function orderSettings({ spec }: Pick<ChaosEngine, 'spec'>): string[] {
  const { execution, experiments } = spec;
  const isOrdered =
    execution !== undefined &&
    ((execution.order !== undefined && execution.order !== 'sequential') ||
      (execution.iterations ?? 1) > 1 ||
      execution.onFailure === 'stop');
  return [
    ...(isOrdered ? ['spec.execution'] : []),
    ...experiments.flatMap(({ dependsOn }, index) =>
      (dependsOn ?? []).length > 0 ? [`spec.experiments[${index}].dependsOn`] : [],
    ),
  ];
}
