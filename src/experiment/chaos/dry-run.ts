import type { Run } from '../lifecycle/run.ts';
import { resolveTargets } from '../targets/resolve-targets.ts';
import { objectOf } from './injector.ts';
import { injectorOf } from './run-injector.ts';

/** For an engine with `spec.dryRun`: selects the targets and plans, says so in the timeline, and injects nothing. */
export async function dryRun(run: Run): Promise<void> {
  const { fault, settings, client, random, timeline, stop } = run;
  const targets = await resolveTargets({ client, fault, settings, random, signal: stop });
  for (const { target } of await injectorOf(run).plan(targets, 0)) {
    timeline.note({ step: 'WouldInject', object: objectOf(target), message: `${fault.name} would hit it` });
  }
}
