/** Judges one write by the admission policies that are bound. Source: kubernetes.io, Validating Admission Policy. */
import { loadCel } from '../../cel/lazy.ts';
import { forbidden, StatusError } from '../../http/status.ts';
import type { ServerParts } from '../../registry/environment.ts';
import type { Surroundings } from '../webhooks/match.ts';
import type { Subject } from '../webhooks/subject.ts';
import { type Binding, type ValidatingPolicy, validatingPolicies } from './configured.ts';
import { type Misconfiguration, questionsOf, reviewedBy } from './questions.ts';

/** What a policy has against a write. */
interface Denial extends Misconfiguration<ValidatingPolicy> {
  readonly reason?: string;
}

/**
 * Asks all policies, and adds the warnings of those that only warn to the subject's.
 *
 * @throws StatusError of the first that denies the write
 */
export async function judgeByPolicies(
  env: ServerParts,
  subject: Subject,
  around: Surroundings,
): Promise<void> {
  const questions = questionsOf(env, validatingPolicies(env.store), subject, around);
  if (questions.length === 0) return;
  const cel = await loadCel();
  const denials = questions.flatMap((question): readonly Denial[] => {
    if (!('kind' in question)) return [question];
    const { policy, binding } = question;
    return cel
      .denialsOf(policy, reviewedBy(env, question, subject))
      .filter(({ isError }) => !(isError && policy.mayFail))
      .flatMap((denial) => carriedOut({ ...denial, policy, binding }, subject));
  });
  const [first] = denials;
  if (first !== undefined) throw refusal(first, subject);
}

/** What the binding's actions make of a denial; audits have no log here to go to. */
function carriedOut(denial: Denial & { readonly binding: Binding }, { context }: Subject): Denial[] {
  const { policy, binding, message } = denial;
  if (binding.actions.includes('Warn')) {
    context.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
    );
  }
  return binding.actions.includes('Deny') ? [denial] : [];
}

const INVALID = 422;
const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: INVALID,
};

function refusal({ policy, binding, message, reason }: Denial, subject: Subject): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy.name}'${binding === undefined ? '' : ` with binding '${binding.name}'`}`;
  const why = `${by} denied request: ${message}`;
  const word = reason || 'Invalid';
  const { message: text, details } = forbidden(subject.kind.definition, subject.name, why, [
    { message: why },
  ]);
  return new StatusError(CODES[word] ?? INVALID, word, text, details);
}
