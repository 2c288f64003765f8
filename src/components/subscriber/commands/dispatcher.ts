import { createHash } from 'node:crypto';
import type { Logger } from '@turnsole/kube/base/log';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { ControlPlaneClient } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import type { Offers } from '../link/frames.ts';
import type { Action } from './action.ts';
import { type Outcome, refused } from './outcome.ts';

/** How an action of a type is carried out. */
export interface Command {
  /** What may not be done at the same time, as text; others run side by side. */
  readonly keyOf: (action: Action) => string;
  /** Whether it changes something, and so is not done a second time for the same id. */
  readonly isChange: boolean;
  readonly run: (action: Action, signal: AbortSignal) => Promise<Outcome>;
}

/** What dispatching needs. */
interface DispatcherOptions {
  /** By request type, in lower case. */
  readonly commands: Readonly<Record<string, Command>>;
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
  readonly logger: Logger;
  /** Ends those that only look: they may last. */
  readonly signal: AbortSignal;
  /** Ends those that change something: one that has begun is to be done as a whole. */
  readonly changeSignal: AbortSignal;
  readonly onOutcome?: (requestType: string, outcome: Outcome) => void;
}

/** More at a time are not taken: they would be a flood. Those that only look do not take the place of those that change something. */
const MAX_CHANGES = 500;
const MAX_LOOKS = 100;
/** So many answers are remembered. */
const MAX_REMEMBERED = 1_000;

const RESULT = `mutation InfraActionResult($request: InfraActionResult!) { infraActionResult(request: $request) }`;

/**
 * Carries out actions: those about one thing in the order of their arrival, all others side by side, so that a stop waits for no log. An
 * action that arrives a second time with its id gets the first answer and is not repeated.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** The last action of each key. */
  readonly #tails = new Map<string, Promise<void>>();
  /** Reports to the server that are under way. */
  readonly #reports = new Set<Promise<void>>();
  readonly #answers = new Map<string, Promise<Outcome>>();
  readonly #pending = { changes: 0, looks: 0 };

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Begins an action; never throws and never waits. */
  dispatch(action: Action, offers: Offers): void {
    const type = action.requestType.toLowerCase();
    const outcome = this.#outcomeOf(type, action);
    const report = outcome.then((known) => this.#report(type, action, known, offers));
    this.#reports.add(report);
    void report.finally(() => this.#reports.delete(report));
  }

  /** Resolves when nothing is under way, and the server has all reports. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
    await Promise.all(this.#reports);
  }

  #outcomeOf(type: string, action: Action): Promise<Outcome> {
    const id = identityOf(action);
    const known = id === undefined ? undefined : this.#answers.get(id);
    if (known !== undefined) return known;
    const outcome = this.#begin(type, action);
    const isChange = Object.hasOwn(this.#options.commands, type) && this.#options.commands[type]?.isChange;
    if (id !== undefined && isChange === true) this.#remember(id, outcome);
    return outcome;
  }

  /** Remembers the answer; an action that was not done may be asked for again. */
  #remember(id: string, outcome: Promise<Outcome>): void {
    this.#answers.set(id, outcome);
    void outcome.then(({ isDone }) => {
      if (!isDone) this.#answers.delete(id);
    });
    const [oldest] = this.#answers.size > MAX_REMEMBERED ? this.#answers.keys() : [];
    if (oldest !== undefined) this.#answers.delete(oldest);
  }

  #begin(type: string, action: Action): Promise<Outcome> {
    const { commands } = this.#options;
    const command = Object.hasOwn(commands, type) ? commands[type] : undefined;
    if (command === undefined) {
      const known = Object.keys(commands).join(', ');
      return Promise.resolve(
        refused(`the request type ${JSON.stringify(type)} is not known; known are ${known}`),
      );
    }
    const sort = command.isChange ? 'changes' : 'looks';
    const most = command.isChange ? MAX_CHANGES : MAX_LOOKS;
    if (this.#pending[sort] >= most) {
      return Promise.resolve(refused(`${most} actions are under way; ask again later`));
    }
    this.#pending[sort] += 1;
    const key = command.keyOf(action);
    const before = this.#tails.get(key) ?? Promise.resolve();
    const outcome = before.then(() => this.#carryOut(command, action));
    const tail = outcome.then(() => {
      this.#pending[sort] -= 1;
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    return outcome;
  }

  async #carryOut(command: Command, action: Action): Promise<Outcome> {
    try {
      const { signal, changeSignal } = this.#options;
      return await command.run(action, command.isChange ? changeSignal : signal);
    } catch (error) {
      return refused(messageOf(error));
    }
  }

  async #report(type: string, { requestID }: Action, outcome: Outcome, offers: Offers): Promise<void> {
    const { server, identity, logger, changeSignal, onOutcome } = this.#options;
    onOutcome?.(type, outcome);
    const fields = { requestType: type, requestID, detail: outcome.message };
    if (outcome.isDone) logger.info(fields, 'an action of the control plane is done');
    else logger.warn(fields, 'an action of the control plane is not done');
    if (!offers.actionResults || changeSignal.aborted) return;
    const request = { infraID: identity(), requestID, requestType: type, ...outcome };
    const answer = await server
      .send({ query: RESULT, variables: { request } }, changeSignal)
      .catch(() => undefined);
    if (answer !== undefined && answer.type !== 'delivered') {
      logger.warn(
        { requestID, answer: answer.type },
        'the control plane did not take the result of an action',
      );
    }
  }
}

/** The same id with the same content; servers may use one id for several actions. Undefined without an id. */
function identityOf(action: Action): string | undefined {
  if (action.requestID === '') return undefined;
  return createHash('sha256').update(JSON.stringify(action)).digest('base64url');
}
