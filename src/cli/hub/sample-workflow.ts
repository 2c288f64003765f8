import { CHART_VERSION, MAINTAINERS, MIN_KUBE_VERSION } from './fault-chart.ts';
import type { Sample, SampleFault } from './samples.ts';

const NAMESPACE = '{{workflow.parameters.adminModeNamespace}}';

/** Images of the steps; the embedded cluster has its own under these names. */
const KUBECTL_IMAGE = 'litmuschaos/k8s:2.11.0';
const CHECKER_IMAGE = 'litmuschaos/litmus-checker:2.11.0';

/** Parts of a sample's steps: objects as YAML. */
interface SampleParts {
  /** The ChaosExperiment of a fault. */
  readonly fault: (name: string) => string;
  readonly hitsApplications: (name: string) => boolean;
  readonly yaml: (object: object) => string;
}

interface NamedFault extends SampleFault {
  /** Name of its step and template. */
  readonly step: string;
}

/**
 * The Workflow of a sample, in the shape that control planes read: faults are installed, run by a checker each, then their engines are
 * deleted. Its application is a parameter. Pure.
 */
export function sampleWorkflow(sample: Sample, parts: SampleParts): object {
  const groups = namedSteps(sample);
  const faults = groups.flat();
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: sample.name, namespace: 'litmus', labels: { subject: sample.name } },
    spec: {
      entrypoint: sample.name,
      serviceAccountName: 'argo-chaos',
      podGC: { strategy: 'OnWorkflowCompletion' },
      securityContext: { runAsUser: 1000, runAsNonRoot: true },
      arguments: { parameters: PARAMETERS.map(([name, value]) => ({ name, value })) },
      templates: [
        {
          name: sample.name,
          steps: [
            [step('install-chaos-faults')],
            ...groups.map((group) => group.map(({ step: name }) => step(name))),
            [step('cleanup-chaos-resources')],
          ],
        },
        installTemplate([...new Set(faults.map(({ fault }) => fault))], parts),
        ...faults.map((fault) => faultTemplate(sample, fault, parts)),
        CLEAN_UP,
      ],
    },
  };
}

const PARAMETERS = [
  ['adminModeNamespace', 'litmus'],
  ['appNamespace', 'default'],
  ['appLabel', 'app=web'],
  ['appKind', 'deployment'],
  ['url', 'http://web.default.svc.cluster.local:8080/'],
] as const;

/** Faults with the names of their steps; one that occurs again gets a number. */
function namedSteps({ steps }: Sample): NamedFault[][] {
  const seen = new Map<string, number>();
  return steps.map((group) =>
    group.map((one) => {
      const count = (seen.get(one.fault) ?? 0) + 1;
      seen.set(one.fault, count);
      return { ...one, step: count === 1 ? one.fault : `${one.fault}-${count}` };
    }),
  );
}

function step(name: string): object {
  return { name, template: name };
}

/** The variable is the root of a pod that shares the machine's files, and empty everywhere else. */
function installTemplate(faults: readonly string[], { fault }: SampleParts): object {
  const files = faults.map((name) => `-f $TURNSOLE_POD_ROOT/tmp/${name}.yaml`).join(' ');
  return {
    name: 'install-chaos-faults',
    inputs: {
      artifacts: faults.map((name) => ({ name, path: `/tmp/${name}.yaml`, raw: { data: fault(name) } })),
    },
    container: {
      image: KUBECTL_IMAGE,
      command: ['sh', '-c'],
      args: [`kubectl apply ${files} -n ${NAMESPACE}`],
    },
  };
}

function faultTemplate(sample: Sample, fault: NamedFault, parts: SampleParts): object {
  const path = `/tmp/chaosengine-${fault.step}.yaml`;
  return {
    name: fault.step,
    inputs: {
      artifacts: [{ name: fault.step, path, raw: { data: parts.yaml(engine(sample, fault, parts)) } }],
    },
    metadata: { labels: { weight: String(fault.weight ?? 10) } },
    container: { image: CHECKER_IMAGE, args: [`-file=${path}`, '-saveName=/tmp/engine-name'] },
  };
}

function engine(sample: Sample, { fault, step: name, env }: NamedFault, parts: SampleParts): object {
  const appinfo = {
    appns: '{{workflow.parameters.appNamespace}}',
    applabel: '{{workflow.parameters.appLabel}}',
    appkind: '{{workflow.parameters.appKind}}',
  };
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: {
      generateName: name,
      namespace: NAMESPACE,
      labels: { workflow_run_id: '{{ workflow.uid }}', workflow_name: sample.name },
    },
    spec: {
      engineState: 'active',
      ...(parts.hitsApplications(fault) ? { appinfo } : {}),
      chaosServiceAccount: 'litmus-admin',
      experiments: [
        {
          name: fault,
          spec: {
            components: { env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })) },
            probe: [ANSWERS],
          },
        },
      ],
    },
  };
}

const ANSWERS = {
  name: 'application-answers',
  type: 'httpProbe',
  mode: 'Continuous',
  'httpProbe/inputs': {
    url: '{{workflow.parameters.url}}',
    method: { get: { criteria: '==', responseCode: '200' } },
  },
  runProperties: { probeTimeout: '2s', interval: '500ms', attempt: 3, probePollingInterval: '500ms' },
} as const;

const CLEAN_UP = {
  name: 'cleanup-chaos-resources',
  container: {
    image: KUBECTL_IMAGE,
    command: ['sh', '-c'],
    args: [`kubectl delete chaosengine -l workflow_run_id={{workflow.uid}} -n ${NAMESPACE}`],
  },
} as const;

/** The sample's entry in the catalogue. Pure. */
export function sampleCatalogue({ name, displayName, description, steps }: Sample): object {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChartServiceVersion',
    metadata: {
      name,
      version: CHART_VERSION,
      annotations: { categories: 'Experiments', vendor: 'Turnsole', chartDescription: description },
    },
    spec: {
      displayName,
      categoryDescription: description,
      keywords: ['Kubernetes', ...new Set(steps.flat().map(({ fault }) => fault))],
      platforms: ['Kubernetes', 'embedded cluster'],
      maintainers: [...MAINTAINERS],
      minKubeVersion: MIN_KUBE_VERSION,
      links: [{ name: 'Faults', url: 'docs/faults.md' }],
      icon: [{ url: `icons/${name}.svg`, mediatype: 'image/svg+xml' }],
    },
  };
}
