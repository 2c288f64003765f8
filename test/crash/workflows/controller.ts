import type { KubeClient } from '@turnsole/kube/client/types';
import { defaultSettings } from '../../../src/components/workflow-controller/settings.ts';
import {
  startWorkflowController,
  type WorkflowController,
} from '../../../src/components/workflow-controller/start-workflow-controller.ts';

/** Starts the workflow controller for one namespace. */
export function startController(client: KubeClient, namespace: string): Promise<WorkflowController> {
  const settings = defaultSettings('turnsole');
  return startWorkflowController({ client, namespace, settings: () => settings });
}
