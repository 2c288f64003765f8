import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import { suggest } from '../../api/validation/suggest.ts';
import type { Random } from '../../kube/runtime/clock.ts';
import type { Fault, FaultRegistry } from '../fault.ts';
import { type CompiledSettings, compileSettings, tunablesOf } from '../settings/compile-settings.ts';
import { describeTunableProblem } from '../settings/parse-tunables.ts';
import { experimentEnvironment, faultNameOf, misspelledVariables } from './experiment-env.ts';

/** One reason why a run would not do what was asked. */
export interface PlanProblem {
  /** As in errorOutput, or `PERMISSION`, or `NODE` for what this machine does not allow. */
  readonly code: string;
  readonly message: string;
}

/** What the settings of an entry of an engine come to, and what is wrong with them: all that shows without a cluster. */
export interface JudgedSettings {
  readonly faultName: string;
  /** Undefined when there is none of that name, which is a problem. */
  readonly fault: Fault | undefined;
  readonly settings: CompiledSettings['settings'] | undefined;
  /** Whether the settings can be read, whatever else is wrong. */
  readonly isSound: boolean;
  /** Variables whose values come from elsewhere and could not be looked at. */
  readonly unknown: readonly string[];
  readonly problems: readonly PlanProblem[];
}

/** Judges the settings of an experiment as the run would read them: variables and their names, the fault, the probes. */
export async function judgeSettings(
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  entry: EngineExperiment,
  { registry, random }: { readonly registry: FaultRegistry; readonly random: Random },
): Promise<JudgedSettings> {
  const faultName = faultNameOf(experiment);
  const { env, unknown } = experimentEnvironment(engine, experiment, entry);
  const [fault, probes] = await Promise.all([registry.get(faultName)?.(), probeProblems(engine, entry)]);
  if (fault === undefined) {
    const problems = [generic(noSuchFault(faultName, [...registry.keys()])), ...probes];
    return { faultName, fault, settings: undefined, isSound: false, unknown, problems };
  }
  const compiled = compileSettings(fault, env, random);
  // A variable whose value comes from elsewhere looks as if it were not set.
  const problems = compiled.problems.filter(({ variable }) => !unknown.includes(variable));
  const misspelled = misspelledVariables(experiment, entry, Object.keys(tunablesOf(fault)));
  return {
    faultName,
    fault,
    settings: compiled.settings,
    isSound: problems.length === 0,
    unknown,
    problems: [
      ...problems.map((problem) => generic(describeTunableProblem(problem))),
      ...misspelled.map(({ name, suggestion }) =>
        generic(`${name} is no setting of ${faultName}; did you mean ${suggestion}?`),
      ),
      ...probes,
    ],
  };
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
    import('../../probes/index.ts'),
    import('../../api/validation/field-error.ts'),
  ]);
  const index = engine.spec.experiments.findIndex(({ name }) => name === entry.name);
  const errors = await checkProbes(probes, {
    path: ['spec', 'experiments', Math.max(index, 0), 'spec', 'probe'],
  });
  return errors.map((error) => generic(plainFieldError(error)));
}
