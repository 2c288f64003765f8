/** Asks the webhooks of a phase about one write. */

import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { messageOf } from '@turnsole/kube/text/error-message';
import { loadCel } from '../../cel/lazy.ts';
import { forbidden, internalError, StatusError } from '../../http/status.ts';
import { type ApiObject, asJson, type Json } from '../../object.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import type { ServerParts } from '../../registry/environment.ts';
import type { Phase } from '../../registry/pending-write.ts';
import type { ServedKind } from '../../registry/registry.ts';
import { toKind } from '../../request/admit-body.ts';
import { callWebhook } from './call.ts';
import type { Webhook } from './configured.ts';
import { acceptChange, type Mutator } from './mutator.ts';
import { type Answer, readAnswer, reviewOf } from './review.ts';
import { inForm, type Subject } from './subject.ts';

/** A webhook with the kind its rules matched. */
export interface Asked {
  readonly webhook: Webhook;
  readonly kind: ServedKind;
}

/** The webhooks that may change a write, in the order in which they are asked. */
export function mutatorsOfWebhooks(
  env: ServerParts,
  asked: readonly Asked[],
  subject: Subject,
): readonly Mutator[] {
  return asked.map((one) => ({
    isReinvoked: one.webhook.isReinvoked,
    change: async (object) => {
      const answer = await ask(env, one, 'mutating', { ...subject, object });
      return answer?.patch === undefined || object === undefined
        ? object
        : patched(one, subject, object, answer.patch);
    },
  }));
}

/** Asks all at once. @throws StatusError of the first in order that refuses, or that fails and may not */
export async function askValidating(
  env: ServerParts,
  asked: readonly Asked[],
  subject: Subject,
): Promise<void> {
  // The client gets warnings in the order of the configurations, not of the answers.
  const warnings = asked.map((): string[] => []);
  try {
    await allInOrder(asked.map((one, index) => ask(env, one, 'validating', subject, warnings[index])));
  } finally {
    subject.context.warnings.push(...warnings.flat());
  }
}

/**
 * What it allows; undefined when it failed and may.
 *
 * @param warnings gets the webhook's
 */
async function ask(
  env: ServerParts,
  { webhook, kind }: Asked,
  phase: Phase,
  subject: Subject,
  warnings = subject.context.warnings,
): Promise<(Answer & { readonly allowed: true }) | undefined> {
  let answer: Answer;
  const uid = env.uid();
  const review = reviewOf(webhook, subject, kind, uid);
  if (!(await isMeant(webhook, review, subject))) return undefined;
  try {
    const text = await callWebhook(webhook, review, env);
    answer = readAnswer(webhook, phase, uid, text);
  } catch (error) {
    if (webhook.mayFail) return undefined;
    throw failed(webhook, error);
  }
  warnings.push(...answer.warnings);
  if (!answer.allowed) throw answer.refusal;
  return answer;
}

/** Whether the webhook's conditions hold. @throws StatusError when that cannot be said and the webhook may not be left out */
async function isMeant({ conditions, mayFail }: Webhook, review: Json, subject: Subject): Promise<boolean> {
  if (conditions.length === 0) return true;
  const cel = await loadCel();
  const request = asJson(review.request);
  try {
    return cel.holdsFor(conditions, { object: request.object, oldObject: request.oldObject, request });
  } catch (error) {
    if (!(error instanceof cel.CelError)) throw error;
    if (mayFail) return false;
    throw forbidden(subject.kind.definition, subject.name, error.message);
  }
}

function failed({ name }: Webhook, error: unknown): StatusError {
  const why = messageOf(error);
  return internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`, error);
}

/** The object with a patch, which is meant for the form that the webhook saw. */
function patched({ webhook, kind }: Asked, subject: Subject, object: ApiObject, patch: unknown): ApiObject {
  try {
    const result = applyJsonPatch(inForm(object, subject.kind, kind), patch);
    const next = inForm(toKind(kind, result, 'Ignore', []), kind, subject.kind);
    return acceptChange(subject, object, next);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw failed(webhook, error);
  }
}
