import type { ChaosEngine, EngineExperiment } from '../api/schema/engine.ts';
import { targetsOfEngine } from './engine-targets.ts';
import { TIGHTENING_FLAGS, wantsDryRun } from './run-record.ts';

/** Protected where the operator names none. */
const DEFAULT_PROTECTED = 'kube-system';

/** An experiment whose image is not known to be Turnsole's. */
interface ForeignExperiment {
  /** With the kept settings in it (`restoreEngine`). */
  readonly engine: ChaosEngine;
  readonly entry: EngineExperiment;
  readonly image: string;
  /** PROTECTED_NAMESPACES of the operator; empty: the default. */
  readonly protectedNamespaces: string;
}

/**
 * Why an image that is not known to be Turnsole's must not be started for this experiment: what the engine asks for is kept by
 * the program in the image, and this one would not. Undefined when nothing speaks against it. Pure.
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
    `image ${image} is not known to spare protected namespaces, and the engine's targets are in ${namespaces.join(', ')}; choose ` +
    `other targets, or set ALLOW_PROTECTED_NAMESPACES to ${namespaces.join(',')} in the env of the experiment if that is meant`
  );
}

/** What of the engine's safety settings only the experiment's own program can keep. */
function askedFor(engine: ChaosEngine): string[] {
  return [
    ...(wantsDryRun(engine) ? ['spec.dryRun'] : []),
    ...TIGHTENING_FLAGS.filter((flag) => flag !== 'dryRun' && engine.spec[flag] === true).map(
      (flag) => `spec.${flag}`,
    ),
    ...(engine.spec.annotationCheck === 'true' ? ['spec.annotationCheck'] : []),
  ];
}

function protectedTargets({ engine, entry, protectedNamespaces }: ForeignExperiment): string[] {
  const isProtected = listed(protectedNamespaces === '' ? DEFAULT_PROTECTED : protectedNamespaces);
  const env = entry.spec?.components?.env ?? [];
  const allowed = listed(env.find(({ name }) => name === 'ALLOW_PROTECTED_NAMESPACES')?.value ?? '');
  const targeted = targetsOfEngine(engine)
    .split(';')
    .map((target) => target.split(':')[1] ?? '');
  return [...new Set(targeted)].filter((name) => isProtected.includes(name) && !allowed.includes(name));
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** What of the order of an engine's experiments a runner of others does not know, as paths. Pure. */
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
