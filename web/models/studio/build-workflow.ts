import { buildEngine } from './build-engine.ts';
import type { Draft, Step } from './draft.ts';
import { groupsOf } from './steps.ts';

const INSTALL = 'install-chaos-faults';
const CLEANUP = 'cleanup-chaos-resources';

/** How an object stands in an artifact, as YAML. */
type WriteYaml = (value: object) => string;

/** The manifest of an experiment: a Workflow, or a CronWorkflow when it has a schedule. */
export function buildWorkflow(draft: Draft, writeYaml: WriteYaml): object {
  const { name, agentNamespace: namespace, cron, timezone } = draft;
  const metadata = { name, namespace, labels: { subject: name } };
  const spec = specOf(draft, writeYaml);
  if (cron === '') return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata,
    spec: { schedule: cron, ...(timezone === '' ? {} : { timezone }), workflowSpec: spec },
  };
}

function specOf(draft: Draft, writeYaml: WriteYaml): object {
  const order = [
    [INSTALL],
    ...groupsOf(draft.steps).map((group) => group.map(({ name }) => name)),
    [CLEANUP],
  ];
  return {
    entrypoint: draft.name,
    serviceAccountName: 'argo-chaos',
    podGC: { strategy: 'OnWorkflowCompletion' },
    securityContext: { runAsUser: 1000, runAsNonRoot: true },
    arguments: { parameters: [{ name: 'adminModeNamespace', value: draft.agentNamespace }] },
    templates: [
      { name: draft.name, steps: order.map((group) => group.map((name) => ({ name, template: name }))) },
      installTemplate(draft.steps, writeYaml),
      ...draft.steps.map((step) => faultTemplate(draft, step, writeYaml)),
      kubectlTemplate(CLEANUP, 'delete chaosengine -l workflow_run_id={{workflow.uid}}'),
    ],
  };
}

/** Installs each fault once, however many steps use it. */
function installTemplate(steps: readonly Step[], writeYaml: WriteYaml): object {
  const faults = new Map(steps.map(({ fault }) => [fault.name, fault]));
  const artifacts = [...faults.values()].map(({ name, resource }) => ({
    name,
    path: `/tmp/${name}.yaml`,
    raw: { data: writeYaml(resource) },
  }));
  const files = [...faults.keys()].map((name) => `-f $TURNSOLE_POD_ROOT/tmp/${name}.yaml`).join(' ');
  return { ...kubectlTemplate(INSTALL, `apply ${files}`), inputs: { artifacts } };
}

function faultTemplate(draft: Draft, step: Step, writeYaml: WriteYaml): object {
  const path = `/tmp/chaosengine-${step.name}.yaml`;
  return {
    name: step.name,
    inputs: { artifacts: [{ name: step.name, path, raw: { data: writeYaml(buildEngine(draft, step)) } }] },
    metadata: { labels: { weight: String(step.weight) } },
    container: {
      image: 'litmuschaos/litmus-checker:2.11.0',
      args: [`-file=${path}`, '-saveName=/tmp/engine-name'],
    },
  };
}

function kubectlTemplate(name: string, words: string): object {
  const command = `kubectl ${words} -n {{workflow.parameters.adminModeNamespace}}`;
  return { name, container: { image: 'litmuschaos/k8s:2.11.0', command: ['sh', '-c'], args: [command] } };
}
