import type { Facts } from '@turnsole/workflows/engine/run';
import type { WorkflowTemplateRef } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import type { ClusterView } from './cluster-view.ts';

/** The engine's read access to other objects, as the local copies have them at that time. */
export function factsOf(view: ClusterView, namespace: string): Facts {
  return {
    get workflowTemplates() {
      return view.templates(namespace);
    },
    get clusterWorkflowTemplates() {
      return view.clusterTemplates();
    },
    get parameterConfigMaps() {
      return view.parameters(namespace);
    },
  };
}

/** The same as validation asks for it. */
export function libraryOf(facts: Facts): TemplateLibrary {
  return {
    find: ({ name, clusterScope = false }: WorkflowTemplateRef) => {
      const object = (clusterScope ? facts.clusterWorkflowTemplates : facts.workflowTemplates).get(name);
      if (object === undefined) return undefined;
      const kind = clusterScope ? 'clusterworkflowtemplate' : 'workflowtemplate';
      return { spec: object.spec, path: `${kind}/${name} spec.templates` };
    },
  };
}
