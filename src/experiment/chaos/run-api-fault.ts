import type { InjectionTarget } from '../../api/index.ts';
import { injectEvent } from '../events/messages.ts';
import { emitOnEngine, faultContext, noteChaosStarted, type Run } from '../lifecycle/run.ts';
import type { ExperimentSettings } from '../settings/compile-settings.ts';
import { resolveTargets } from '../targets/resolve-targets.ts';
import { both } from './both.ts';
import { runPulse } from './pulse.ts';
import { injectorOf } from './run-injector.ts';
import { revertOpen, runSustained } from './sustained.ts';
import { withWitness } from './witness.ts';

/** Injects a fault that this process does itself through the API, for the whole duration, and reverts it. */
export async function runApiFault(run: Run, prepareProbes: () => Promise<void>): Promise<void> {
  if (run.fault.shape === 'sustained') return holdFault(run, prepareProbes);
  return withWitness(run, (settings) => repeatFault(run, settings, prepareProbes));
}

async function holdFault(run: Run, prepareProbes: () => Promise<void>): Promise<void> {
  const { fault, settings, ledger } = run;
  const { durationMs, sequence } = settings;
  const context = faultContext(run);
  const targets = await select(run, settings);
  await prepareProbes();
  await runSustained({
    injector: injectorOf(run),
    ledger,
    context,
    durationMs,
    // Without targets there is nothing to go through one after another: all of the fault is one step.
    sequence: fault.targets === 'none' ? 'parallel' : sequence,
    targets,
    onStep: () => announce(run),
    onOver: () => run.probes?.chaosEnded(),
    ...(fault.hold === undefined
      ? {}
      : { hold: async (ms, injections) => fault.hold?.(injections, context, ms) }),
    settle: async (injections) => fault.settle?.(injections, context),
  });
}

async function repeatFault(
  run: Run,
  settings: ExperimentSettings,
  prepareProbes: () => Promise<void>,
): Promise<void> {
  const { fault, ledger } = run;
  const injector = injectorOf(run);
  const targets = await select(run, settings);
  await prepareProbes();
  await both(
    async () => {
      await runPulse({
        fault,
        injector,
        context: faultContext(run),
        durationMs: settings.durationMs,
        interval: settings.interval,
        sequence: settings.sequence,
        interPodKillIntervalMs: settings.interPodKillIntervalMs,
        targetsOf: (round, previous) =>
          round === 0 ? Promise.resolve(targets) : select(run, settings, previous),
        onRound: () => announce(run),
      });
      run.probes?.chaosEnded();
    },
    () => revertOpen({ injector, ledger }, undefined, ({ instant }) => instant === true),
  );
}

function select(
  { client, fault, random, stop }: Run,
  settings: ExperimentSettings,
  previous?: readonly InjectionTarget[],
): Promise<readonly InjectionTarget[]> {
  return resolveTargets({
    client,
    fault,
    settings,
    random,
    signal: stop,
    ...(previous === undefined ? {} : { previous }),
  });
}

function announce(run: Run): void {
  noteChaosStarted(run);
  emitOnEngine(run, injectEvent(run.fault, run.settings.experiment));
}
