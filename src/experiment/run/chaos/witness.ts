import { type Injection, isApiPulse } from '../../injection/fault.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import { runWithCleanup } from '../../injection/run-with-cleanup.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';
import { parseTargets } from '../../injection/settings/parse-targets.ts';
import { revertOpen } from '../../injection/sustained.ts';
import { faultContext, type Run } from '../lifecycle/run.ts';
import { injectorOf } from './run-injector.ts';

/**
 * Does `chaos` with the fault's witness beside it, if it has one: started before the targets are chosen (it may know which), asked
 * after the last round, and taken away in any case. Its ledger entry is stored before it exists, so that the component that recovers a run
 * that died takes it away too.
 *
 * @param chaos gets the settings, with the pods that the fault itself has chosen
 */
export async function withWitness(
  run: Run,
  chaos: (settings: ExperimentSettings) => Promise<void>,
): Promise<void> {
  const { fault, ledger } = run;
  const context = faultContext(run);
  const own = isApiPulse(fault) ? fault.witness : undefined;
  const planned = own?.plan(run.settings.tunables, run.settings.runId);
  if (planned === undefined) return chaos(await choose(run, undefined));
  const witness: Injection = { ...planned, id: `${run.settings.runId}.${planned.id}` };
  const object = objectOf(witness.target);
  await runWithCleanup(
    async () => {
      await ledger.plan([witness], 'lasting');
      context.signal.throwIfAborted();
      await own?.start(witness, context);
      await ledger.mark([witness.id], 'injected');
      context.note('WitnessStarted', object, 'it works, and is heard again after chaos');
      await chaos(await choose(run, witness));
      await own?.check(witness, context);
      context.note('WitnessHeard', object, 'it has nothing to complain about');
    },
    () => revertOpen({ injector: injectorOf(run), ledger }),
  );
}

/** The settings with the fault's own choice of targets, which counts as if the user had made it. */
async function choose(run: Run, witness: Injection | undefined): Promise<ExperimentSettings> {
  const { fault, settings } = run;
  if (!isApiPulse(fault)) return settings;
  const chosen = await fault.chooseTargets?.(settings.tunables, faultContext(run), witness);
  if (chosen === undefined) return settings;
  const { entries } = parseTargets(chosen);
  run.timeline.note({ step: 'TargetsChosen', message: `${fault.name} chose ${chosen}` });
  return { ...settings, targets: entries, tunables: { ...settings.tunables, TARGET_PODS: [] } };
}
