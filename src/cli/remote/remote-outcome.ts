import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { CommandError } from '../../services/errors.ts';
import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { accountOutcome } from '../../services/report/outcome/of-account.ts';
import type { RemoteClient } from './remote-client.ts';

/** Field of our server's runs; ChaosCenter does not know it. */
const OUTCOME = 'outcome { word reason score exitCode }';
const UNKNOWN_FIELD = /Cannot query field "outcome"/;

/** How a run ended, as our server says it or as it follows from what ChaosCenter has. */
interface RemoteOutcome {
  readonly word: string;
  readonly reason: string | null;
  readonly score: number | null;
  /** Null while it is under way. */
  readonly exitCode: ExitCode | null;
}

/** Servers that do not know the field. */
const others = new WeakSet<RemoteClient>();

/**
 * Asks for runs with their outcome, and without it where the server does not know it.
 *
 * @param documentOf the query, with the place of the field
 */
export async function askWithOutcome<T>(
  client: RemoteClient,
  documentOf: (outcome: string) => string,
  variables: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<T> {
  if (!others.has(client)) {
    try {
      return await client.graphql<T>(documentOf(OUTCOME), variables, signal);
    } catch (error) {
      if (!(error instanceof CommandError) || !UNKNOWN_FIELD.test(error.message)) throw error;
      others.add(client);
    }
  }
  return client.graphql<T>(documentOf(''), variables, signal);
}

/** A run as servers show it. Fields of upstream's schema, and ours. */
export interface OutcomeFields {
  readonly phase: string;
  readonly resiliencyScore: number | null;
  readonly executionData: string;
  readonly weightages: readonly { readonly faultName: string }[] | null;
  readonly outcome?: RemoteOutcome;
}

/** Phases that are no end. */
const UNDER_WAY: readonly string[] = ['Queued', 'Pending', 'Running', 'NA'];

/** The outcome of a run: the server's own, else composed by the same rules from its agent's account. Pure. */
export function outcomeOfRun({
  outcome,
  phase,
  resiliencyScore,
  executionData,
  weightages,
}: OutcomeFields): RemoteOutcome {
  if (outcome !== undefined) return outcome;
  const account = readExecutionData(executionData);
  const isOver = !UNDER_WAY.includes(phase);
  if (account === undefined) {
    const reason = 'the report of its agent cannot be read';
    return {
      word: isOver ? 'Error' : phase,
      reason,
      score: null,
      exitCode: isOver ? EXIT.couldNotRun : null,
    };
  }
  // In place of a report, servers give the reason of a run that never began.
  const isUnbegun = account.nodes.length === 0 && (phase === 'Error' || !KNOWN_ENDS.test(phase));
  const found = accountOutcome(account, {
    ...{ isOver, isStopped: phase === 'Stopped' },
    problem: isOver && isUnbegun && phase !== 'Stopped' ? account.message || `its phase is ${phase}` : null,
    faults: (weightages ?? []).map(({ faultName: name }) => ({ name })),
  });
  return {
    word: found.word,
    reason: found.reason ?? null,
    score: found.isScored ? resiliencyScore : null,
    exitCode: found.exitCode ?? null,
  };
}

const KNOWN_ENDS = /^(Completed|Succeeded|Stopped|Error)/;
