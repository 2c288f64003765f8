import type { InjectionTarget, LedgerEntry } from '../../api/index.ts';
import { HelperError } from '../injection/errors.ts';

/** Variable that carries the assignment. */
export const ASSIGNMENT_VARIABLE = 'TURNSOLE_ASSIGNMENT';

/** How a helper joins a fault that is held already, on pods that take the places of hit ones. */
export interface Joining {
  /** When the fault ends, by the clock of the experiment, in milliseconds since 1970. */
  readonly endsAtMs: number;
  /** How long that was when the helper was requested: at most so long it holds, whatever the clock of its node says. */
  readonly leftMs: number;
}

/** The task of a helper; everything else it takes from the environment, as upstream's helpers do. */
export interface Assignment {
  readonly version: 1;
  readonly fault: string;
  readonly runId: string;
  /** Name of the ChaosResult, in CHAOS_NAMESPACE. */
  readonly result: string;
  readonly experiment: string;
  /** For Events. */
  readonly engine?: { readonly name: string; readonly uid: string };
  /** What to hit for the whole duration; all on this helper's node. */
  readonly targets: readonly InjectionTarget[];
  /** Part of the ids of its injections: no two helpers of a run that hit one target have the same. @default 0 */
  readonly round?: number;
  /** For a helper that is started while the fault is held: it joins. */
  readonly joins?: Joining;
  /** What to revert instead: open ledger entries of a helper that was lost. */
  readonly recover?: readonly LedgerEntry[];
}

/**
 * Reads an assignment out of its variable.
 *
 * @throws HelperError when it is missing or not one of this version: helpers are started by experiments only
 */
export function parseAssignment(text: string | undefined): Assignment {
  if (text === undefined || text === '') {
    throw new HelperError(
      `${ASSIGNMENT_VARIABLE} is not set; a helper is started by its experiment, with image and settings of that`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HelperError(`${ASSIGNMENT_VARIABLE} is no JSON`, { cause });
  }
  if (!isAssignment(value)) {
    throw new HelperError(
      `${ASSIGNMENT_VARIABLE} is no assignment of version 1; use the same release for experiment and helper`,
    );
  }
  return value;
}

function isAssignment(value: unknown): value is Assignment {
  if (typeof value !== 'object' || value === null) return false;
  const { version, fault, runId, result, experiment, targets } = value as Partial<
    Record<keyof Assignment, unknown>
  >;
  return (
    version === 1 &&
    [fault, runId, result, experiment].every((text) => typeof text === 'string') &&
    Array.isArray(targets)
  );
}
