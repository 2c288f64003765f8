import { isObject, parseJson, parseObject } from '@turnsole/kube/text/json';
import { type Context, memberOf } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import type { Tx } from '../../store/transaction.ts';
import { infraRowOf } from '../infras.ts';
import { askAgent, type OwnRequestType } from './ask-agent.ts';

/** A request beyond ChaosCenter's. */
interface OwnQuestion {
  readonly infra: string;
  readonly type: OwnRequestType;
  /** Data of the request; becomes JSON. */
  readonly data: object;
  /** What an agent without support cannot do, as a verb. @default answer such requests */
  readonly ability?: string;
  /** Further writes in the transaction that stores the request. */
  readonly together?: (tx: Tx) => Promise<void>;
}

/**
 * An agent's answer to a request beyond ChaosCenter's, sent only to agents that have declared support for it.
 *
 * @throws Refusal if the agent is not connected, does not support such requests, is silent, or reports a problem
 */
export async function askOwn(
  { infra, type, data, ability = 'answer such requests', together }: OwnQuestion,
  context: Context,
): Promise<Readonly<Record<string, unknown>>> {
  const { project } = memberOf(context);
  const row = await infraRowOf(context.plane.store.read, project, infra);
  if (row.active !== 1) throw new Refusal('unavailable', `the agent of ${row.name} is not connected`);
  if (!answersOf(row.answers).includes(type)) {
    const why =
      row.flavour === 'litmus' ? "it is LitmusChaos', and only Turnsole's can" : 'a newer one can; update it';
    throw new Refusal('unavailable', `the agent of ${row.name} cannot ${ability}: ${why}`);
  }
  const question = { infra, type, data, mayLast: false, ...(together !== undefined && { together }) };
  for await (const reply of askAgent(question, context)) return readReply(reply);
  throw new Refusal('unavailable', 'nobody waits for the answer any more');
}

/** Types that an agent has declared. Pure. */
function answersOf(answers: string | null): readonly unknown[] {
  const types = answers === null ? [] : parseJson(answers);
  return Array.isArray(types) ? types : [];
}

/** The answer in an agent's reply. Pure. @throws Refusal with the agent's problem */
function readReply(text: string): Readonly<Record<string, unknown>> {
  const { answer, problem } = parseObject(text) ?? {};
  if (isObject(answer)) return answer;
  const why =
    typeof problem === 'string' ? problem : "the answer of the infrastructure's agent could not be read";
  throw new Refusal('unavailable', why);
}
