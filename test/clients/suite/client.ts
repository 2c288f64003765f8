import type { Programs } from './programs.ts';
import type { Stage } from './stage.ts';

/** One of other people's programs, and what is done with it. */
export interface Client {
  /** As in the table, and for `--only`. */
  readonly name: string;
  /** What has to be there. Without one of them the client is left out, with that said. */
  readonly programs: readonly string[];
  /** Why it cannot run here although its programs are there; undefined when it can. */
  readonly unable?: (programs: Programs) => string | undefined;
  /** What of it is used, for the table. */
  readonly covers: string;
  version(context: ClientContext): Promise<string> | string;
  run(context: ClientContext): Promise<void>;
}

/** What a client is run with. */
export interface ClientContext {
  /** The path of a program of {@link Client.programs}. */
  readonly program: (name: string) => string;
  readonly programs: Programs;
  readonly stage: Stage;
  readonly checks: Checks;
}

/** How one check ended. */
export interface CheckOutcome {
  readonly name: string;
  /** `differs`: not as the client's users know it, deliberately, and as `detail` says. */
  readonly outcome: 'expected' | 'differs' | 'wrong';
  /** Why it differs, or what went wrong. */
  readonly detail?: string;
}

/** Gathers how checks end. One that goes wrong does not end the others. */
export class Checks {
  readonly outcomes: CheckOutcome[] = [];
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** What has to end as users of the client know it. @param run throws when it does not */
  async expected(name: string, run: () => Promise<void> | void): Promise<void> {
    this.#add(await outcomeOf(name, run, { name, outcome: 'expected' }));
  }

  /** What ends otherwise, deliberately. @param run throws when it does not end as `why` says */
  async differs(name: string, why: string, run: () => Promise<void> | void): Promise<void> {
    this.#add(await outcomeOf(name, run, { name, outcome: 'differs', detail: why }));
  }

  #add(outcome: CheckOutcome): void {
    this.outcomes.push(outcome);
    const detail = outcome.detail === undefined ? '' : `: ${outcome.detail}`;
    this.#print(`  ${outcome.outcome.padEnd(8)}  ${outcome.name}${detail}`);
  }
}

/** Characters: programs that fail may print pages. */
const MOST_OF_A_REASON = 2_000;

async function outcomeOf(
  name: string,
  run: () => Promise<void> | void,
  passed: CheckOutcome,
): Promise<CheckOutcome> {
  try {
    await run();
    return passed;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, outcome: 'wrong', detail: reason.trim().slice(0, MOST_OF_A_REASON) };
  }
}
