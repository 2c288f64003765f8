import type { Json } from '../json/json.ts';
import type { Draft, Step } from './draft.ts';
import { INSTALL, type YamlForm } from './workflow-parts.ts';
import { newEngine } from './write-engine.ts';

/** Names of the entrypoint template, and of the one after the faults. */
const ENTRY = 'argowf-chaos';
const CLEANUP = 'cleanup-chaos-resources';

const NAMESPACE = '{{workflow.parameters.adminModeNamespace}}';

/** A workflow without faults, which deletes its engines at its end. */
export function newSpec(agentNamespace: string): Json {
  return {
    entrypoint: ENTRY,
    serviceAccountName: 'argo-chaos',
    podGC: { strategy: 'OnWorkflowCompletion' },
    securityContext: { runAsUser: 1000, runAsNonRoot: true },
    arguments: { parameters: [{ name: 'adminModeNamespace', value: agentNamespace }] },
    templates: [
      { name: ENTRY, steps: [[{ name: CLEANUP, template: CLEANUP }]] },
      kubectlTemplate(CLEANUP, 'delete chaosengine -l workflow_run_id={{workflow.uid}}'),
    ],
  };
}

/** A template that installs nothing yet. */
export function newInstaller(): Json {
  return { ...kubectlTemplate(INSTALL, 'apply'), inputs: { artifacts: [] } };
}

/** A template that runs a fault. */
export function newFaultTemplate(draft: Draft, step: Step, yaml: YamlForm): Json {
  const path = `/tmp/chaosengine-${step.name}.yaml`;
  return {
    name: step.name,
    inputs: { artifacts: [{ name: step.name, path, raw: { data: yaml.write(newEngine(draft, step)) } }] },
    metadata: { labels: { weight: String(step.weight) } },
    container: {
      image: 'litmuschaos/litmus-checker:2.11.0',
      args: [`-file=${path}`, '-saveName=/tmp/engine-name'],
    },
  };
}

function kubectlTemplate(name: string, words: string): Json {
  const command = `kubectl ${words} -n ${NAMESPACE}`;
  return { name, container: { image: 'litmuschaos/k8s:2.11.0', command: ['sh', '-c'], args: [command] } };
}
