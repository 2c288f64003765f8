import { createOnce } from '@turnsole/kube/apply/create-once';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { LedgerEntry } from '../../../api/index.ts';
import type { Assignment, Joining } from '../../helper/assignment.ts';
import { HelperError } from '../../injection/errors.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import { drawRunId } from '../../injection/settings/compile-settings.ts';
import { type HelperShare, helperPod } from '../helper/helper-pod.ts';
import type { Run } from '../lifecycle/run.ts';

/** What may differ between helpers. */
interface StartHelperOptions {
  /** Entries to revert instead of injecting. */
  readonly recover?: readonly LedgerEntry[];
  /** See `Assignment`. */
  readonly round?: number;
  /** For a helper that joins a fault that is held already. */
  readonly joins?: Joining;
  /** Whether the pod has neither requests nor limits. */
  readonly unlimited?: boolean;
}

/** Makes a helper pod and gives its name. */
export async function startHelper(
  run: Run,
  { node, targets }: HelperShare,
  { recover, round, joins, unlimited = false }: StartHelperOptions = {},
): Promise<string> {
  const { fault, settings, env, pod, engine, client, random } = run;
  // Reverts go on after an abort, too.
  if (recover === undefined) run.stop.throwIfAborted();
  const uid = engine?.metadata.uid;
  const assignment: Assignment = {
    version: 1,
    fault: fault.name,
    runId: settings.runId,
    result: run.writer.name,
    experiment: settings.experiment,
    ...(engine === undefined || uid === undefined ? {} : { engine: { name: engine.metadata.name, uid } }),
    targets,
    recover,
    ...(round === undefined ? {} : { round }),
    ...(joins === undefined ? {} : { joins }),
  };
  const suffix = drawRunId(random);
  const body = helperPod({
    fault,
    settings,
    env,
    pod,
    engine,
    node,
    assignment,
    suffix,
    ...(unlimited ? { unlimited } : {}),
  });
  try {
    // Not ended by an abort: a pod whose creation was given up half-way would not be known to any component.
    await createOnce((options) => client.create(PODS, body, options), { namespace: settings.namespace });
    const { name } = body.metadata;
    const message = `helper on node ${node} for ${targets.map(objectOf).join(', ')}`;
    run.timeline.note({ step: 'HelperCreated', object: `pod/${settings.namespace}/${name}`, message });
    return name;
  } catch (cause) {
    throw new HelperError(
      `cannot create a helper pod on node ${node}; check what the service account may do with pods and the admission ` +
        `policy of namespace ${settings.namespace}`,
      { cause },
    );
  }
}
