import { isJson, type Json, listAt, objectAt, withAt } from '../json/json.ts';

/** Name of the step and of its template. */
const STEP = 'sample-application';
const FILE = '/tmp/sample-application.yaml';

/** The target of the workflow, by its parameters. */
const [KIND, LABEL, NAMESPACE] = ['appKind', 'appLabel', 'appNamespace'].map(
  (name) => `{{workflow.parameters.${name}}}`,
);

/**
 * A workflow of the hub, which before its faults makes an application that they can hit, unless there is one. Pure.
 *
 * @param application manifests as one text
 */
export function withApplication(workflow: Json, application: string): Json {
  const entry = objectAt(workflow, 'spec').entrypoint;
  const templates = listAt(workflow, 'spec', 'templates').map((template) =>
    isJson(template) && template.name === entry
      ? { ...template, steps: [[{ name: STEP, template: STEP }], ...listAt(template, 'steps')] }
      : template,
  );
  return withAt(workflow, ['spec', 'templates'], [...templates, templateOf(application)]);
}

/** The variable is the root of a pod that shares the machine's files, and empty everywhere else. */
function templateOf(application: string): Json {
  const found = `kubectl get ${KIND} -l ${LABEL} -n ${NAMESPACE} -o name`;
  const make = `kubectl create -f $TURNSOLE_POD_ROOT${FILE} -n ${NAMESPACE}`;
  return {
    name: STEP,
    inputs: { artifacts: [{ name: STEP, path: FILE, raw: { data: application } }] },
    container: {
      image: 'litmuschaos/k8s:2.11.0',
      command: ['sh', '-c'],
      args: [`there=$(${found}); if [ -n "$there" ]; then echo "$there is there"; else ${make}; fi`],
    },
  };
}
