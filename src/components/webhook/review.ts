import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { isAccessAllowed } from '@turnsole/kube/client/access-review';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import {
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosExperiment,
  type ChaosSchedule,
  type EngineExperiment,
  type EventTrackerPolicy,
} from '../../api/index.ts';
import { explainFieldError } from '../../api/validation/index.ts';
import { changesChaos, chaosProblems } from '../../chaos/chaos-admission.ts';
import { unreadFields, unreadText } from '../../chaos/unread/unread-fields.ts';
import { unreadVariables } from '../../engines/unread-of-engine.ts';
import type { AdmissionRequest, AdmissionResponse, AdmittedObject } from './admission.ts';
import { refused } from './admission.ts';
import {
  CREATE_PODS,
  type ExperimentAccess,
  type RequiredAccess,
  requiredAccess,
} from './required-access.ts';

/** What {@link review} works with. */
export interface ReviewContext {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** The permissions that a fault needs; undefined for an unknown fault. */
  readonly permissionsOf: (fault: string) => Promise<readonly PolicyRule[] | undefined>;
  /** The fault that a ChaosExperiment runs. */
  readonly faultOf: (experiment: ChaosExperiment) => string;
  /** Why the settings of an engine's entry ask for nothing; undefined where they ask for something, or it is not known. */
  readonly idleReasonOf: (
    engine: ChaosEngine,
    experiment: ChaosExperiment,
    entry: EngineExperiment,
  ) => Promise<string | undefined>;
  /** The users of operator and event tracker: what they create, from a schedule or policy, was judged when that was. */
  readonly trusted: readonly string[];
}

/**
 * Judges a write of a chaos kind: is it valid, and may who writes it do to the targets what the chaos will?
 *
 * @throws ApiError, ConnectionError when the cluster cannot be asked; then the failure policy decides
 */
export async function review(request: AdmissionRequest, context: ReviewContext): Promise<AdmissionResponse> {
  const { uid, object, oldObject } = request;
  const allowed = { uid, allowed: true };
  if (object === undefined || object === null || !changesChaos(object, oldObject)) return allowed;
  const problems = chaosProblems(object).map((error) => explainFieldError(error, object));
  if (problems.length > 0) return refused(uid, 422, `${describe(object)}: ${problems.join('; ')}`);
  const { username: user = '', ...userInfo } = request.userInfo;
  if (context.trusted.includes(user)) return allowed;
  const warnings = await warningsAbout(object, request.namespace ?? '', context);
  const needed = await accessNeeded(object, request.namespace ?? '', context);
  const answers = await allInOrder(
    needed.map(async (access) => ({
      access,
      isAllowed: await isAccessAllowed(context.client, { user, ...userInfo }, access, context.signal),
    })),
  );
  const denied = answers.filter((answer) => !answer.isAllowed).map(({ access }) => access);
  if (denied.length > 0) return refused(uid, 403, deniedText(object, request, denied));
  return warnings.length === 0 ? allowed : { ...allowed, warnings };
}

/** A server drops warnings that are many or long. */
const MOST_WARNINGS = 20;

/** A warning's field, and what is to be known of it. */
type Told = Parameters<typeof unreadText>[0];

/** What the object says and nothing reads, and what it asks for that is nothing. */
async function warningsAbout(
  object: AdmittedObject,
  namespace: string,
  context: ReviewContext,
): Promise<string[]> {
  const engine = engineOf(object);
  const ofEngine = engine === undefined ? [] : await warningsAboutEngine(engine, namespace, context);
  const isTemplate = object.kind === 'ChaosSchedule';
  const placed = ofEngine.map(({ path, message }) => ({
    path: isTemplate ? path.replace('spec', 'spec.engineTemplateSpec') : path,
    message,
  }));
  return [...unreadFields(object), ...placed]
    .slice(0, MOST_WARNINGS)
    .map((told) => unreadText(told).slice(0, MOST_CHARACTERS));
}

async function warningsAboutEngine(
  engine: ChaosEngine,
  namespace: string,
  { client, signal, idleReasonOf }: ReviewContext,
): Promise<Told[]> {
  const placed = { ...engine, metadata: { ...engine.metadata, namespace } };
  const ofEntries = engine.spec.experiments.map(async (entry, index): Promise<Told[]> => {
    const experiment = await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, entry.name, {
      namespace,
      signal,
    });
    // The run of an experiment that is not there is skipped, and says so.
    if (experiment?.spec?.definition === undefined) return [];
    const reason = await idleReasonOf(placed, experiment, entry);
    const message = `${entry.name} has no effect: ${reason}`;
    return reason === undefined ? [] : [{ path: `spec.experiments[${index}]`, message }];
  });
  const [unread, idle] = await Promise.all([
    unreadVariables(engine, { client, namespace, signal }),
    allInOrder(ofEntries),
  ]);
  return [...unread, ...idle.flat()];
}

const MOST_CHARACTERS = 256;

/** The engine, or the one that a schedule makes; undefined for other kinds. */
function engineOf(object: AdmittedObject): ChaosEngine | undefined {
  if (object.kind === 'ChaosEngine') return object as ChaosEngine;
  if (object.kind !== 'ChaosSchedule') return undefined;
  const spec = (object as ChaosSchedule).spec.engineTemplateSpec;
  return spec === undefined ? undefined : ({ metadata: object.metadata, spec } as ChaosEngine);
}

async function accessNeeded(
  object: AdmittedObject,
  namespace: string,
  context: ReviewContext,
): Promise<RequiredAccess[]> {
  switch (object.kind) {
    case 'ChaosEngine':
    case 'ChaosSchedule': {
      const engine = engineOf(object);
      return engine === undefined ? [] : engineAccess(engine, namespace, context);
    }
    case 'ChaosExperiment':
      // Its definition is a pod that will run under the service accounts of its namespace.
      return [{ ...CREATE_PODS, namespace, because: 'the image and command of a ChaosExperiment' }];
    case 'EventTrackerPolicy':
      // Local starts use the service accounts of the namespace, as a pod can; a control plane checks a notification itself.
      return (object as EventTrackerPolicy).spec.start === undefined
        ? []
        : [{ ...CREATE_PODS, namespace, because: 'what a policy starts' }];
    default:
      return [];
  }
}

async function engineAccess(
  engine: ChaosEngine,
  namespace: string,
  context: ReviewContext,
): Promise<RequiredAccess[]> {
  const names = [...new Set(engine.spec.experiments.map(({ name }) => name))];
  const experiments = await allInOrder(names.map((name) => experimentAccess(name, namespace, context)));
  const placed = { ...engine, metadata: { ...engine.metadata, namespace } };
  return requiredAccess(placed, experiments);
}

async function experimentAccess(
  name: string,
  namespace: string,
  { client, signal, permissionsOf, faultOf }: ReviewContext,
): Promise<ExperimentAccess> {
  const experiment = await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, name, { namespace, signal });
  const fault = experiment === undefined ? name : faultOf(experiment);
  const known = await permissionsOf(fault);
  return { name, permissions: known ?? experiment?.spec?.definition?.permissions ?? [] };
}

function describe({ kind, metadata }: AdmittedObject): string {
  return `${kind} ${metadata.name ?? metadata.generateName ?? ''}`;
}

function deniedText(
  object: AdmittedObject,
  { userInfo }: AdmissionRequest,
  denied: readonly RequiredAccess[],
): string {
  const things = denied.slice(0, 5).map(({ namespace, resource, verb, because }) => {
    const where = namespace === undefined ? 'in the cluster' : `in namespace ${namespace}`;
    return `${verb} ${resource} ${where} (${because})`;
  });
  const more = denied.length > things.length ? ` and ${denied.length - things.length} more` : '';
  return (
    `${describe(object)}: user ${userInfo.username ?? ''} may not do to the targets what this chaos does: ` +
    `${things.join(', ')}${more}; ask for these permissions, or choose other targets`
  );
}
