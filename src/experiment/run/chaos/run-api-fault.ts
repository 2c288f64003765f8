import type { Pod } from '@turnsole/kube/kinds/core';
import type { InjectionTarget } from '../../../api/index.ts';
import { injectEvent } from '../../injection/events/messages.ts';
import type { ApiHold, ApiPulse, NodePulse } from '../../injection/fault.ts';
import { runPulse } from '../../injection/pulse.ts';
import { runWithCleanup } from '../../injection/run-with-cleanup.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';
import { revertOpen, runSustained } from '../../injection/sustained.ts';
import { resolveTargets } from '../../targets/resolve-targets.ts';
import { emitOnEngine, faultContext, type Run } from '../lifecycle/run.ts';
import { followByApi } from './follow-by-api.ts';
import { injectorOf } from './run-injector.ts';
import { stepTargets } from './step-targets.ts';
import { withWitness } from './witness.ts';

/** Injects a fault that this process does itself through the API, for the whole duration, and reverts it. */
export async function runApiFault(run: Run, prepareProbes: () => Promise<void>): Promise<void> {
  const { fault } = run;
  if (fault.shape === 'sustained')
    return holdFault(run, 'hold' in fault ? fault.hold : undefined, prepareProbes);
  return withWitness(run, (settings) => repeatFault(run, fault, settings, prepareProbes));
}

async function holdFault(run: Run, hold: ApiHold['hold'], prepareProbes: () => Promise<void>): Promise<void> {
  const { fault, settings, ledger, clock } = run;
  const { durationMs, sequence } = settings;
  const context = faultContext(run);
  const targets = await select(run, settings);
  run.force.ask(fault, settings, targets);
  await prepareProbes();
  const injector = injectorOf(run);
  await runSustained({
    injector,
    ledger,
    context,
    durationMs,
    // Without targets it has no order: all of the fault is one step.
    sequence: fault.targets === 'none' ? 'parallel' : sequence,
    targets,
    targetsOf: async (chosen, step) => (await stepTargets(run, { chosen, all: targets, step })).targets,
    beside: async (step, chosen, signal) => {
      const endsAtMs = clock.monotonic() + durationMs;
      return followByApi(run, { injector, hold, step, chosen, all: targets, endsAtMs, signal });
    },
    onStep: () => announce(run),
    onOver: () => run.probes?.chaosEnded(),
    ...(hold === undefined ? {} : { hold: (ms, injections) => hold(injections, context, ms) }),
    settle: async (injections) => fault.settle?.(injections, context),
  });
}

async function repeatFault(
  run: Run,
  fault: ApiPulse | NodePulse,
  settings: ExperimentSettings,
  prepareProbes: () => Promise<void>,
): Promise<void> {
  const { ledger } = run;
  const injector = injectorOf(run);
  const targets = await select(run, settings);
  await prepareProbes();
  await runWithCleanup(
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
    () => revertOpen({ injector, ledger }, ({ instant }) => instant === true),
  );
}

async function select(
  { client, clock, fault, random, stop: signal, pods, workloads }: Run,
  settings: ExperimentSettings,
  previous?: readonly InjectionTarget[],
): Promise<readonly InjectionTarget[]> {
  let seen: readonly Pod[] = [];
  const onPods = (looked: readonly Pod[]): void => {
    seen = looked;
  };
  const targets = await resolveTargets({ client, fault, settings, clock, random, signal, previous, onPods });
  pods.follow(targets, seen);
  workloads.follow(targets, seen);
  return targets;
}

function announce(run: Run): void {
  run.force.begins();
  run.news.chaosStarted(run.settings.durationMs);
  emitOnEngine(run, injectEvent(run.fault, run.settings.experiment));
}
