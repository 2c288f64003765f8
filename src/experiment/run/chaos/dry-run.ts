import type { PermissionCheck, PlanFindings } from '../../../api/index.ts';
import { ChaosError } from '../../injection/errors.ts';
import { dryRunEvent } from '../../injection/events/messages.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import { askSelf } from '../../plan/access-asker.ts';
import {
  describeBudget,
  describeConflict,
  describeShare,
  observeImpact,
  planFindings,
} from '../../plan/findings.ts';
import { checkPermissions, formatPermissions, permissionsOf } from '../../plan/permissions.ts';
import { resolveTargets } from '../../targets/resolve-targets.ts';
import { emitOnEngine, emitOnResult, type Run } from '../lifecycle/run.ts';
import { injectorOf } from './run-injector.ts';

/**
 * For an engine with `spec.dryRun`: selects the targets and plans, looks at blast radius, permissions and other chaos, and reports them in
 * result, timeline and Events. Injects nothing.
 *
 * @throws TargetSelectionError as a run does · ChaosError when the run would fail for lack of permissions
 */
export async function dryRun(run: Run): Promise<void> {
  const { fault, settings, client, clock, random, timeline, stop } = run;
  const selected = await resolveTargets({ client, fault, settings, clock, random, signal: stop });
  const targets = (await injectorOf(run).plan(selected, 0)).map(({ target }) => target);
  for (const target of targets) {
    timeline.note({ step: 'WouldInject', object: objectOf(target), message: `${fault.name} would hit it` });
  }
  const { namespace, sequence } = settings;
  const engine = { namespace, name: settings.engine ?? '' };
  const [impact, { source, checks }] = await Promise.all([
    observeImpact({ client, engine, targets, sequence, signal: stop }),
    // This process acts as the service account of the engine, so it asks for its own permissions.
    checkPermissions(askSelf(client), permissionsOf(fault, settings), stop),
  ]);
  const account = `${namespace}/${settings.serviceAccount ?? 'default'}`;
  const plan = planFindings({ ...impact, targets, account, source, checks });
  noteFindings(run, plan);
  const hasObjections = plan.conflicts.length + plan.permissions.missing.length > 0;
  const isViolating = plan.blastRadius.disruptionBudgets.some(({ violated }) => violated);
  const event = dryRunEvent(settings.experiment, plan.summary, hasObjections || isViolating);
  emitOnEngine(run, event);
  emitOnResult(run, event);
  // The compiler knows no index signature of it; it is JSON.
  await run.writer.write({ status: { plan: { ...plan } } });
  if (plan.permissions.missing.length > 0) throw wouldFail(account, plan.permissions.missing);
}

function noteFindings({ timeline }: Run, { blastRadius, conflicts, permissions }: PlanFindings): void {
  const note = (step: string, message: string, object?: string): void =>
    timeline.note({ step, object, message });
  for (const share of blastRadius.workloads) {
    note('BlastRadius', describeShare(share), `${share.kind}/${share.namespace}/${share.name}`);
  }
  for (const budget of blastRadius.disruptionBudgets) {
    const object = `poddisruptionbudget/${budget.namespace}/${budget.name}`;
    note(budget.violated ? 'BudgetViolated' : 'BudgetHolds', describeBudget(budget), object);
  }
  for (const conflict of conflicts) note('Conflict', describeConflict(conflict), conflict.object);
  if (permissions.missing.length > 0) note('PermissionMissing', formatPermissions(permissions.missing));
  for (const what of blastRadius.notSeen) note('NotSeen', `could not look at ${what}`);
}

function wouldFail(account: string, missing: readonly PermissionCheck[]): ChaosError {
  const message = `a run would fail: service account ${account} may not ${formatPermissions(missing)}; grant it`;
  return new ChaosError('GENERIC_ERROR', message, { phase: 'ChaosInject' });
}
