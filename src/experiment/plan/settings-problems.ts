import type { Random } from '@turnsole/kube/base/clock';
import { suggest } from '@turnsole/kube/schema/suggest';
import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import type { ErrorCode } from '../../chaos/errors/result-errors.ts';
import { faultNameOf } from '../../chaos/fault-name.ts';
import { isUpstreamImage } from '../../chaos/own-image.ts';
import { type Unread, unreadSettings } from '../../chaos/unread/unread-settings.ts';
import type { Fault, FaultRegistry } from '../injection/fault.ts';
import { type CompiledSettings, compileSettings } from '../injection/settings/compile-settings.ts';
import { describeTunableProblem } from '../injection/settings/parse-tunables.ts';
import { experimentEnvironment, type PlanOperator, positionOf } from './experiment-env.ts';

/** One reason why a run would not do what was asked. */
export interface PlanProblem {
  /** As in errorOutput, or `PERMISSION`, or `NODE` for what this machine does not allow. */
  readonly code: ErrorCode | 'PERMISSION' | 'NODE';
  readonly message: string;
  /** A permission to read is missing: the run's, when the plan is made with the service account of the run; else that of the user who plans. */
  readonly mayNotLook?: true;
}

/** The resulting settings of an engine's entry, and their problems: everything that shows without a cluster. */
export interface JudgedSettings {
  readonly faultName: string;
  /** Undefined when no fault has that name, which is a problem. */
  readonly fault: Fault | undefined;
  readonly settings: CompiledSettings['settings'] | undefined;
  /** Whether the settings can be read, whatever else is wrong. */
  readonly isSound: boolean;
  /** Variables whose values come from elsewhere and could not be read. */
  readonly unknown: readonly string[];
  readonly problems: readonly PlanProblem[];
  /** What the engine sets and nothing reads. */
  readonly unread: readonly Unread[];
}

/** Judges the settings of an experiment as the run would read them: variables and their names, the fault, the probes. */
export async function judgeSettings(
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  entry: EngineExperiment,
  {
    registry,
    random,
    operator,
  }: {
    readonly registry: FaultRegistry;
    readonly random: Random;
    /** Operator of the cluster. @default none is known */
    readonly operator?: PlanOperator | undefined;
  },
): Promise<JudgedSettings> {
  const faultName = faultNameOf(experiment);
  const position = positionOf(engine, entry);
  const { env, unknown, problems: unreadable } = experimentEnvironment(engine, experiment, entry, operator);
  const [fault, probes] = await Promise.all([registry.get(faultName)?.(), probeProblems(engine, entry)]);
  const atEntryPoint = entryPointProblems(experiment, entry);
  if (fault === undefined) {
    const noFault = noSuchFault(faultName, [...registry.keys()]);
    const problems = [noFault, ...atEntryPoint, ...unreadable].map(generic).concat(probes);
    return { faultName, fault, settings: undefined, isSound: false, unknown, problems, unread: [] };
  }
  const compiled = compileSettings(fault, env, random);
  // A variable whose value comes from elsewhere looks unset.
  const problems = compiled.problems.filter(({ variable }) => !unknown.includes(variable));
  const unread = unreadSettings({ engine, position, experiment, ...(operator && { operator }) });
  const refused = problems.map(({ variable }) => variable);
  return {
    faultName,
    fault,
    settings: compiled.settings,
    isSound: problems.length === 0 && unreadable.length === 0,
    unknown,
    problems: [
      ...[...atEntryPoint, ...unreadable].map(generic),
      ...problems.map((problem) => generic(describeTunableProblem(problem))),
      ...unread
        // A retired name that chooses a target is refused by the settings already.
        .filter(
          ({ isMistake, message }) => isMistake && !refused.some((name) => message.startsWith(`${name} `)),
        )
        .map(({ message }) => generic(message)),
      ...probes,
    ],
    unread: unread.filter(({ isMistake }) => !isMistake),
  };
}

/** Arguments for a shell that would reach the entry point of an image which is none. */
function entryPointProblems(
  { metadata, spec: { definition } }: ChaosExperiment,
  entry: EngineExperiment,
): string[] {
  const { command, args } = definition;
  const image = entry.spec?.components?.experimentImage || definition.image || '';
  if ((command ?? []).length > 0 || args?.[0] !== '-c' || !isUpstreamImage(image)) return [];
  return [
    `ChaosExperiment ${metadata.name}: spec.definition.args begins with "-c", and without spec.definition.command the entry point of ${image} ` +
      'gets it, which is no shell; write command: ["/bin/bash"]',
  ];
}

function generic(message: string): PlanProblem {
  return { code: 'GENERIC_ERROR', message };
}

function noSuchFault(name: string, known: readonly string[]): string {
  const near = suggest(name, known);
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return `there is no fault named ${name}; ${hint}\`turnsole faults list\` shows all`;
}

async function probeProblems(engine: ChaosEngine, entry: EngineExperiment): Promise<PlanProblem[]> {
  const probes = entry.spec?.probe ?? [];
  if (probes.length === 0) return [];
  const [{ checkProbes }, { plainFieldError }] = await Promise.all([
    import('../probes/definition.ts'),
    import('@turnsole/kube/schema/field-error'),
  ]);
  const path = ['spec', 'experiments', positionOf(engine, entry), 'spec', 'probe'];
  const errors = await checkProbes(probes, { path });
  return errors.map((error) => generic(plainFieldError(error)));
}
