/** What a write is warned of and not refused for: what does not do what it seems to, or is on its way out. In the real server's words. */
import { isQuantity, parseQuantity } from '@turnsole/kube/text/quantity';
import { type ApiObject, asJson, asObjects, asString, type Json, valueAt } from '../object.ts';

/** Where each kind has the specification of its pods. */
const POD_SPECS: ReadonlyMap<string, readonly string[]> = new Map([
  ['pods', ['spec']],
  ['podtemplates', ['template', 'spec']],
  ['replicationcontrollers', ['spec', 'template', 'spec']],
  ['deployments.apps', ['spec', 'template', 'spec']],
  ['replicasets.apps', ['spec', 'template', 'spec']],
  ['statefulsets.apps', ['spec', 'template', 'spec']],
  ['daemonsets.apps', ['spec', 'template', 'spec']],
  ['jobs.batch', ['spec', 'template', 'spec']],
  ['cronjobs.batch', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
]);

/** Labels of nodes that have another name by now, with that name. */
const RENAMED: ReadonlyMap<string, readonly [since: string, name: string]> = new Map([
  ['beta.kubernetes.io/arch', ['v1.14', 'kubernetes.io/arch']],
  ['beta.kubernetes.io/os', ['v1.14', 'kubernetes.io/os']],
  ['failure-domain.beta.kubernetes.io/region', ['v1.17', 'topology.kubernetes.io/region']],
  ['failure-domain.beta.kubernetes.io/zone', ['v1.17', 'topology.kubernetes.io/zone']],
  ['beta.kubernetes.io/instance-type', ['v1.17', 'node.kubernetes.io/instance-type']],
]);

const NANO = 1_000_000_000n;

/** The warnings of a write, in their order. `table` is the kind's name in the store. Pure. */
export function warningsOf(table: string, object: ApiObject): string[] {
  if (table === 'services') return warningsOfService(asJson(object.spec));
  const path = POD_SPECS.get(table);
  if (path === undefined) return [];
  return warningsOfPod(asJson(valueAt(object, ...path)), path.join('.'));
}

function warningsOfService({ trafficDistribution }: Json): string[] {
  if (trafficDistribution !== 'PreferClose') return [];
  return ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'];
}

function warningsOfPod(spec: Json, path: string): string[] {
  const labels = Object.keys(asJson(spec.nodeSelector)).toSorted();
  const renamed = labels.flatMap((label) => {
    const [since, name] = RENAMED.get(label) ?? [];
    return name === undefined
      ? []
      : [`${path}.nodeSelector[${label}]: deprecated since ${since}; use ${JSON.stringify(name)} instead`];
  });
  const containers = ['initContainers', 'containers'].flatMap((list) =>
    asObjects(spec[list]).flatMap((container, index) =>
      warningsOfContainer(container, `${path}.${list}[${index}]`),
    ),
  );
  return [...renamed, ...containers];
}

function warningsOfContainer(container: Json, path: string): string[] {
  const fractions = ['limits', 'requests'].flatMap((field) => {
    const amounts = asJson(asJson(container.resources)[field]);
    return ['memory', 'ephemeral-storage'].flatMap((name) => {
      const amount = amounts[name];
      if (typeof amount !== 'string' || !isQuantity(amount) || parseQuantity(amount).nano % NANO === 0n)
        return [];
      const value = JSON.stringify(amount);
      return [
        `${path}.resources.${field}[${name}]: fractional byte value ${value} is invalid, must be an integer`,
      ];
    });
  });
  return [...fractions, ...hiddenVariables(asObjects(container.env), `${path}.env`)];
}

/** Of two variables of a name the later one counts; one that refers to the earlier one is meant to. */
function hiddenVariables(variables: readonly Json[], path: string): string[] {
  const known = new Set<string>();
  return variables.flatMap(({ name, value }, index) => {
    const text = asString(name);
    const isHiding = known.has(text) && !asString(value).includes(`$(${text})`);
    known.add(text);
    if (!isHiding) return [];
    return [
      `${path}[${index}]: hides previous definition of ${JSON.stringify(text)}, which may be dropped when using apply`,
    ];
  });
}
