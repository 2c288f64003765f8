import { dropManagedFields } from '@turnsole/kube/runtime/informer';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ChaosEngine } from '../../../api/schema/engine.ts';

/** A workflow without what no event holds: templates are the largest part. */
export function slimWorkflow(workflow: Workflow): Workflow {
  const { metadata, spec, status } = dropManagedFields(workflow);
  const { storedTemplates, storedWorkflowTemplateSpec, ...kept } = status ?? {};
  const shutdown = spec?.shutdown;
  return { metadata, spec: shutdown === undefined ? {} : { shutdown }, status: kept };
}

/** An engine without what no event holds. Definitions may let its spec be absent. */
export function slimEngine(engine: ChaosEngine): ChaosEngine {
  const {
    metadata,
    spec,
    status: whole,
  } = dropManagedFields(engine) as Partial<ChaosEngine> & Pick<ChaosEngine, 'metadata'>;
  const { timeline, conditions, ...status } = whole ?? {};
  const engineState = spec?.engineState;
  return { metadata, spec: { ...(engineState !== undefined && { engineState }), experiments: [] }, status };
}
