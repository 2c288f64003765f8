/**
 * Carries out a write of one object, with the consent of webhooks and admission policies where there are any.
 *
 * A write pauses where webhooks may be asked. Without webhooks nothing is awaited between its first step and its commit. With
 * them it waits for their answers, and goes on only if the store still holds the version it began with: so it commits what
 * they have seen, onto what they have seen. Otherwise it is dropped and begun again.
 */
import type { Version } from '../../../store/index.ts';
import { serverTimeout } from '../../http/status.ts';
import { ADMISSION_GROUP } from '../../kinds/admission-rules.ts';
import { type ApiObject, asJson, type Json } from '../../object.ts';
import { toStored } from '../../registry/create.ts';
import type { AdmissionAttempt, ServerParts, WriteContext } from '../../registry/environment.ts';
import { completeAtOnce, type Pause, type PendingWrite, type Phase } from '../../registry/pending-write.ts';
import type { ResourceRequest } from '../../request/request.ts';
import { objectOf } from '../../stored-object.ts';
import { hasPolicies } from '../policies/configured.ts';
import { judgeByPolicies } from '../policies/judge.ts';
import { mutatorsOfPolicies } from '../policies/mutate.ts';
import { type Asked, askValidating, mutatorsOfWebhooks } from './ask.ts';
import { configuredWebhooks } from './configured.ts';
import { matchSelection, type Surroundings } from './match.ts';
import { changeInTurn } from './mutator.ts';
import { type ActionForm, type Subject, subjectOfAction, subjectOfAttempt } from './subject.ts';

/** After so many rounds the object changes faster than webhooks answer, and the client may try again. */
const MAX_ROUNDS = 10;
const RETRY_AFTER_SECONDS = 1;

/**
 * Carries out a write. `begin` reads the request and gives a write that has not taken a step; it is called again whenever the
 * object changed while webhooks were asked.
 * @throws StatusError also of webhooks
 */
export async function carryOut<Result>(
  request: ResourceRequest,
  begin: () => PendingWrite<Result> | Promise<PendingWrite<Result>>,
  action?: ActionForm,
): Promise<Result> {
  if (!hasConsultants(request)) return completeAtOnce(await begin());
  const own = request.warnings.length;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    request.warnings.length = own;
    const outcome = await withConsent(request, await begin(), action);
    if (outcome !== undefined) return outcome.result;
  }
  throw serverTimeout('the object changes faster than admission webhooks answer', RETRY_AFTER_SECONDS);
}

/** The result of a write; undefined, with nothing stored, when a second write changed the object meanwhile. */
async function withConsent<Result>(
  request: ResourceRequest,
  write: PendingWrite<Result>,
  action: ActionForm | undefined,
): Promise<{ readonly result: Result } | undefined> {
  // Collected apart, because they follow the warnings of the write itself.
  const warnings: string[] = [];
  try {
    for (;;) {
      const step = write.next();
      if (step.done === true) return { result: step.value };
      const { attempt } = step.value;
      const seen = presentVersion(request.env, attempt);
      await consult(request, step.value, action, warnings);
      if (presentVersion(request.env, attempt) !== seen) return undefined;
    }
  } finally {
    request.warnings.push(...warnings);
  }
}

/** Asks the webhooks of a phase about a write, and takes over what they patched. */
async function consult(
  request: ResourceRequest,
  { phase, attempt }: Pause,
  action: ActionForm | undefined,
  warnings: string[],
): Promise<void> {
  const subject = subjectOfAttempt(request, attempt, warnings, action);
  const object = await ask(request, phase, subject);
  // A patch to the body of an action (an eviction, a binding) does not apply to the object.
  if (object === undefined || attempt.object === undefined || action !== undefined) return;
  replaceIn(attempt.object, toStored(request.kind, object));
}

/** The version of the object in the store; undefined when it has none. */
function presentVersion(
  { store }: ServerParts,
  { definition, namespace, name }: AdmissionAttempt,
): Version | undefined {
  return store.get(definition.table, namespace, name);
}

/**
 * Asks about an action whose body is an object of its own: an eviction, a binding. Patches of webhooks to that object are ignored.
 * @param type of the body, `policy.v1.Eviction`
 * @throws StatusError
 */
export async function askAboutAction(
  request: ResourceRequest,
  type: string,
  body: Json,
  context: WriteContext,
): Promise<void> {
  if (!hasConsultants(request)) return;
  const subject = subjectOfAction(request, type, { ...body, metadata: asJson(body.metadata) }, context);
  await ask(request, 'mutating', subject);
  await ask(request, 'validating', subject);
}

function hasConsultants({ env, kind }: ResourceRequest): boolean {
  if (kind.definition.group === ADMISSION_GROUP) return false;
  const count = (phase: Phase): number => configuredWebhooks(env.store, phase).length;
  return count('mutating') + count('validating') > 0 || hasPolicies(env.store);
}

/** Asks those that want to know, policies before webhooks; gives what those that change the object left of it. */
async function ask(request: ResourceRequest, phase: Phase, subject: Subject): Promise<ApiObject | undefined> {
  const { env } = request;
  const around = surroundings(request, subject);
  const asked = configuredWebhooks(env.store, phase).flatMap((webhook): Asked[] => {
    const kind = matchSelection(webhook, subject, around);
    return kind === undefined ? [] : [{ webhook, kind }];
  });
  if (phase === 'mutating') {
    // The body of an action is not changed.
    const policies = subject.objectKind === undefined ? mutatorsOfPolicies(env, subject, around) : [];
    const mutators = [...policies, ...mutatorsOfWebhooks(env, asked, subject)];
    return mutators.length === 0 ? undefined : changeInTurn(mutators, subject.object);
  }
  await judgeByPolicies(env, subject, around);
  await askValidating(env, asked, subject);
  return undefined;
}

function surroundings({ env, kind }: ResourceRequest, subject: Subject): Surroundings {
  const others = env.kinds.servedFrom(kind.definition.table).filter((other) => other !== kind);
  return { namespaceLabels: namespaceLabels(env, subject), equivalents: [kind, ...others] };
}

function namespaceLabels(env: ServerParts, subject: Subject): Surroundings['namespaceLabels'] {
  if (subject.kind.definition.table === 'namespaces') {
    return (subject.object ?? subject.old)?.metadata.labels ?? {};
  }
  if (subject.namespace === '') return undefined;
  const namespace = env.store.get('namespaces', '', subject.namespace);
  return (namespace === undefined ? undefined : objectOf(namespace).metadata.labels) ?? {};
}

/** Replaces the fields of an object in place, so that all references to it see the new ones. */
function replaceIn(object: ApiObject, from: ApiObject): void {
  for (const field of Object.keys(object)) if (!(field in from)) delete object[field];
  Object.assign(object, from);
}
