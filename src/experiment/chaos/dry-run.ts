import { faultContext, type Run } from '../lifecycle/run.ts';
import { resolveTargets } from '../targets/resolve-targets.ts';
import { Injector, objectOf } from './injector.ts';

/** For an engine with `spec.dryRun`: selects the targets and plans, says so in the timeline, and injects nothing. */
export async function dryRun(run: Run): Promise<void> {
  const { fault, settings, client, random, ledger, timeline, stop } = run;
  const targets = await resolveTargets({ client, fault, settings, random, signal: stop });
  const injector = new Injector({
    fault,
    tunables: settings.tunables,
    context: faultContext(run),
    ledger,
    runId: settings.runId,
  });
  for (const { target } of await injector.plan(targets, 0)) {
    timeline.note({ step: 'WouldInject', object: objectOf(target), message: `${fault.name} would hit it` });
  }
}
