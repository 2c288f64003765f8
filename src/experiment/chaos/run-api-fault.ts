import { injectEvent } from '../events/messages.ts';
import { emitOnEngine, faultContext, noteChaosStarted, type Run } from '../lifecycle/run.ts';
import { resolveTargets } from '../targets/resolve-targets.ts';
import { both } from './both.ts';
import { runPulse } from './pulse.ts';
import { injectorOf } from './run-injector.ts';
import { revertOpen, runSustained } from './sustained.ts';

/** Injects a fault that this process does itself through the API, for the whole duration, and reverts it. */
export async function runApiFault(run: Run, startProbes: () => Promise<void>): Promise<void> {
  const { fault, settings, ledger, client, random } = run;
  const context = faultContext(run);
  const injector = injectorOf(run);
  const select = (previous?: Parameters<typeof resolveTargets>[0]['previous']) =>
    resolveTargets({
      client,
      fault,
      settings,
      random,
      signal: run.stop,
      ...(previous === undefined ? {} : { previous }),
    });
  const targets = await select();
  await startProbes();
  const onRound = (): void => {
    noteChaosStarted(run);
    emitOnEngine(run, injectEvent(fault, settings.experiment));
  };
  if (fault.shape === 'sustained') {
    const { durationMs, sequence } = settings;
    return runSustained({ injector, ledger, context, durationMs, sequence, targets, onStep: onRound });
  }
  await both(
    () =>
      runPulse({
        fault,
        injector,
        context,
        durationMs: settings.durationMs,
        interval: settings.interval,
        sequence: settings.sequence,
        interPodKillIntervalMs: settings.interPodKillIntervalMs,
        targetsOf: (round, previous) => (round === 0 ? Promise.resolve(targets) : select(previous)),
        onRound,
      }),
    () => revertOpen({ injector, ledger }),
  );
}
