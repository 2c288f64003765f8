import { isForbidden } from '@turnsole/kube/client/errors';
import { describeError, errorOutputOf, UnseenTargetsError } from '../injection/errors.ts';
import { type Fault, isApiPulse } from '../injection/fault.ts';
import { Injector } from '../injection/injector.ts';
import { LedgerBook } from '../injection/ledger/ledger-book.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import { countTargetsToBe, isToBe } from '../targets/pods-to-be.ts';
import { resolveTargets } from '../targets/resolve-targets.ts';
import type { ExperimentPlan, PlanExperimentInput } from './experiment-plan.ts';
import { type Impact, NO_IMPACT, observeImpact } from './findings.ts';

/** The hit of the first round, of present objects and of those that the manifests bring; and its surroundings, when asked for. */
export async function planHit(
  input: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): Promise<PlannedHit & Impact> {
  const hit = await planTargets(input, fault, settings);
  if (input.withImpact !== true) return { ...hit, ...NO_IMPACT };
  const { client, engine, signal = new AbortController().signal } = input;
  const { sequence, namespace } = settings;
  const targets = hit.injections.map(({ target }) => target);
  const owner = { namespace, name: engine.metadata.name };
  return { ...hit, ...(await observeImpact({ client, engine: owner, targets, sequence, signal })) };
}

/** What would be hit, and why nothing, or not everything, could be planned. */
export type PlannedHit = Pick<ExperimentPlan, 'targets' | 'targetsToBe' | 'injections' | 'problems'> & {
  readonly countToBe: number;
};

const NOTHING_HIT = { targets: [], targetsToBe: [], countToBe: 0 };

async function planTargets(
  { client, clock, random, workloadsToBe = [], signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): Promise<PlannedHit> {
  let hit: Pick<PlannedHit, 'targets' | 'targetsToBe' | 'countToBe'> = NOTHING_HIT;
  try {
    const found = await resolveTargets({ client, fault, settings, clock, random, signal, workloadsToBe });
    const toBe = found.filter(isToBe);
    const targets = found.filter((target) => !isToBe(target));
    hit = {
      targets,
      targetsToBe: countTargetsToBe(toBe, workloadsToBe),
      // The node of one of these pods is one target.
      countToBe: fault.targets === 'node' ? Math.min(toBe.length, 1) : toBe.length,
    };
    if (isApiPulse(fault)) fault.witness?.plan(settings.tunables, settings.runId);
    // Injections are computed from present targets.
    if (toBe.length > 0 && targets.length === 0) return { ...hit, injections: [], problems: [] };
    const context = {
      client,
      clock,
      random,
      signal,
      recoveryTimeoutMs: settings.statusCheckTimeoutMs,
      note: () => {},
      tunables: settings.tunables,
    };
    const refuse = { write: () => Promise.reject(new Error('a plan writes nothing')) };
    const ledger = new LedgerBook({ fault, sink: refuse, clock, holdMs: 0 });
    const injector = new Injector({
      fault,
      tunables: settings.tunables,
      context,
      ledger,
      runId: settings.runId,
    });
    return { ...hit, injections: await injector.plan(targets, 0), problems: [] };
  } catch (error) {
    signal.throwIfAborted();
    const { errorCode } = errorOutputOf(error, 'ChaosInject');
    const problem = {
      ...{ code: errorCode, message: describeError(error) },
      ...(isForLackOfRights(error) && { mayNotLook: true as const }),
    };
    return { ...hit, injections: [], problems: [problem] };
  }
}

function isForLackOfRights(error: unknown): boolean {
  if (error instanceof UnseenTargetsError) return true;
  return isForbidden(error) || (error instanceof Error && isForLackOfRights(error.cause));
}
