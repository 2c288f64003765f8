/**
 * Lets webhooks have their say in a write without anything being awaited between its first step and its commit.
 *
 * The write is carried out as far as the point where a webhook has to be asked, and broken off there: nothing was stored. The
 * webhooks are asked, and the write is carried out again from the start with the same time, names and uids, so that it comes
 * to the same point with the same object; there the answer is at hand. Where something else changed the object meanwhile,
 * what was answered is about another one, and the webhooks are asked again.
 */
import type { ResourceRequest } from '../../handlers/request.ts';
import { serverTimeout } from '../../http/status.ts';
import { type ApiObject, asJson, type Json } from '../../object.ts';
import { toStored } from '../../registry/create.ts';
import { serve } from '../../registry/encode.ts';
import type { AdmissionAttempt, Environment, WriteContext } from '../../registry/environment.ts';
import { type Asked, askMutating, askValidating } from './ask.ts';
import { configuredWebhooks, isConfiguration, type Phase } from './configured.ts';
import { matchWebhook, type Surroundings } from './match.ts';
import { optionsOf } from './options.ts';
import { Replay } from './replay.ts';
import type { GroupVersionKind, Operation, Subject } from './subject.ts';

/** An object that changes faster than webhooks answer; the client may try again. */
const MAX_ROUNDS = 10;
const RETRY_AFTER_SECONDS = 1;
const OPERATIONS: Readonly<Record<AdmissionAttempt['operation'], Operation>> = {
  create: 'CREATE',
  update: 'UPDATE',
  delete: 'DELETE',
};

/** Breaks off a write whose webhooks have not been asked yet. */
class Question extends Error {
  override readonly name = 'Question';
  readonly phase: Phase;
  readonly subject: Subject;
  readonly asked: readonly Asked[];

  constructor(phase: Phase, subject: Subject, asked: readonly Asked[]) {
    super(`${phase} webhooks have not been asked about ${subject.name}`);
    this.phase = phase;
    this.subject = subject;
    this.asked = asked;
  }
}

/** How an action on an object looks to webhooks where it is an object of its own: a Scale. What they patch there is left out. */
export interface ActionForm {
  readonly kind: GroupVersionKind;
  readonly of: (object: ApiObject) => ApiObject;
}

/** What was answered, and about what. */
interface Settled {
  readonly about: string;
  readonly object: ApiObject | undefined;
}

/**
 * Carries out a write of one object with the webhooks' consent. `write` is called again for every answer and must not change
 * anything but by its last step.
 * @throws StatusError also of webhooks
 */
export async function withWebhooks<Result>(
  request: ResourceRequest,
  write: (request: ResourceRequest) => Result | Promise<Result>,
  action?: ActionForm,
): Promise<Result> {
  if (!hasWebhooks(request)) return write(request);
  const settled = new Map<Phase, Settled>();
  const said = new Map<Phase, readonly string[]>();
  const before = request.warnings.length;
  const replay = new Replay(request.env);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    request.warnings.length = before;
    replay.rewind();
    try {
      const result = await write({ ...request, env: listening(request, replay.env, settled, action) });
      request.warnings.push(...[...said.values()].flat());
      return result;
    } catch (error) {
      if (!(error instanceof Question)) throw error;
      const { phase, subject, asked } = error;
      const warnings: string[] = [];
      said.set(phase, warnings);
      try {
        const context = { ...subject.context, warnings };
        settled.set(phase, await answered(request.env, { ...subject, context }, phase, asked));
      } catch (refusal) {
        request.warnings.push(...[...said.values()].flat());
        throw refusal;
      }
    }
  }
  throw serverTimeout('the object changes faster than admission webhooks answer', RETRY_AFTER_SECONDS);
}

/**
 * Asks about an action whose body is an object of its own: an eviction, a binding. What webhooks patch there is left out.
 * @param type of the body, `policy.v1.Eviction`
 * @throws StatusError
 */
export async function askAboutAction(
  request: ResourceRequest,
  type: string,
  body: Json,
  context: WriteContext,
): Promise<void> {
  if (!hasWebhooks(request)) return;
  const { env, kind, info } = request;
  const [group = '', version = '', name = ''] = type.split('.');
  const subject: Subject = {
    operation: 'CREATE',
    kind,
    subresource: info.subresource,
    objectKind: { group: group === 'core' ? '' : group, version, kind: name },
    namespace: info.namespace,
    name: info.name,
    object: { ...body, metadata: asJson(body.metadata) },
    old: undefined,
    context,
    options: optionsOf(request, 'create', context),
  };
  const mutating = askedOf(request, 'mutating', subject);
  if (mutating.length > 0) await askMutating(env, mutating, subject);
  const validating = askedOf(request, 'validating', subject);
  if (validating.length > 0) await askValidating(env, validating, subject);
}

function hasWebhooks({ env, kind }: ResourceRequest): boolean {
  if (isConfiguration(kind.definition.table)) return false;
  return (
    configuredWebhooks(env.store, 'mutating').length + configuredWebhooks(env.store, 'validating').length > 0
  );
}

async function answered(
  env: Environment,
  subject: Subject,
  phase: Phase,
  asked: readonly Asked[],
): Promise<Settled> {
  const about = fingerprint(subject);
  if (phase === 'mutating') return { about, object: await askMutating(env, asked, subject) };
  await askValidating(env, asked, subject);
  return { about, object: undefined };
}

/** The environment whose admission breaks off where an answer is missing. */
function listening(
  request: ResourceRequest,
  env: Environment,
  settled: ReadonlyMap<Phase, Settled>,
  action: ActionForm | undefined,
): Environment {
  const listen = (phase: Phase, attempt: AdmissionAttempt): void => {
    // Other kinds are touched by the server itself.
    if (attempt.definition.table !== request.kind.definition.table) return;
    const subject = subjectOf(request, attempt, action);
    const asked = askedOf(request, phase, subject);
    if (asked.length === 0) return;
    const known = settled.get(phase);
    if (known?.about !== fingerprint(subject)) throw new Question(phase, subject, asked);
    const { object } = known;
    if (object !== undefined && attempt.object !== undefined && subject.objectKind === undefined) {
      replaceIn(attempt.object, toStored(request.kind, structuredClone(object)));
    }
  };
  return {
    ...env,
    admit: (attempt) => {
      env.admit(attempt);
      listen('mutating', attempt);
    },
    review: (attempt) => {
      listen('validating', attempt);
      env.review(attempt);
    },
  };
}

function subjectOf(
  request: ResourceRequest,
  attempt: AdmissionAttempt,
  action: ActionForm | undefined,
): Subject {
  const { kind, info } = request;
  const { operation, object, old, context, namespace, name } = attempt;
  const shown = (stored: ApiObject | undefined): ApiObject | undefined => {
    if (stored === undefined) return undefined;
    return action === undefined ? serve(kind, stored) : action.of(stored);
  };
  return {
    operation: OPERATIONS[operation],
    kind,
    subresource: info.subresource,
    namespace,
    name,
    objectKind: action?.kind,
    // Copied: what follows changes it.
    object: shown(object === undefined ? undefined : structuredClone(object)),
    old: shown(old),
    context,
    options: optionsOf(request, operation, context),
  };
}

function fingerprint({ operation, object, old, name }: Subject): string {
  return JSON.stringify([operation, name, object, old]);
}

function askedOf(request: ResourceRequest, phase: Phase, subject: Subject): Asked[] {
  const around = surroundings(request, subject);
  return configuredWebhooks(request.env.store, phase).flatMap((webhook) => {
    const kind = matchWebhook(webhook, subject, around);
    return kind === undefined ? [] : [{ webhook, kind }];
  });
}

function surroundings({ env, kind }: ResourceRequest, subject: Subject): Surroundings {
  const others = env.kinds.servedFrom(kind.definition.table).filter((other) => other !== kind);
  return { namespaceLabels: namespaceLabels(env, subject), equivalents: [kind, ...others] };
}

function namespaceLabels(env: Environment, subject: Subject): Surroundings['namespaceLabels'] {
  if (subject.kind.definition.table === 'namespaces') {
    return (subject.object ?? subject.old)?.metadata.labels ?? {};
  }
  if (subject.namespace === '') return undefined;
  // The store is generic; a namespace is an ApiObject.
  const namespace = env.store.get('namespaces', '', subject.namespace)?.object as ApiObject | undefined;
  return namespace?.metadata.labels ?? {};
}

/** Gives an object the fields of another one; whoever holds it sees them. */
function replaceIn(object: ApiObject, from: ApiObject): void {
  for (const field of Object.keys(object)) if (!(field in from)) delete object[field];
  Object.assign(object, from);
}
