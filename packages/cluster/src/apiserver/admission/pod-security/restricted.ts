/** The level restricted of Pod Security, beside what baseline asks for. Source: kubernetes.io, Pod Security Standards. */
import { asJson, asList, asNumber, asObjects, asString, type Json } from '../../object.ts';
import {
  hostPathVolumes,
  type JudgedPod,
  capabilities as ofBaseline,
  seccomp as seccompOfBaseline,
} from './baseline.ts';
import { containersText, ofContainers, quoted, type Violation } from './wording.ts';

type Rule = (pod: JudgedPod) => readonly Violation[];

const contextOf = (container: Json): Json => asJson(container.securityContext);
const VOLUMES: ReadonlySet<string> = new Set([
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim'],
  ...['projected', 'secret'],
]);

/** Rules of baseline in whose place stricter ones of this level stand. */
export const REPLACED: ReadonlySet<Rule> = new Set([ofBaseline, hostPathVolumes, seccompOfBaseline]);

const privilegeEscalation: Rule = ({ containers }) =>
  ofContainers(
    containers,
    (container) => contextOf(container).allowPrivilegeEscalation !== false,
    'allowPrivilegeEscalation != false',
    (who) => `${who} must set securityContext.allowPrivilegeEscalation=false`,
  );

const capabilities: Rule = ({ containers }) => {
  const ofContainer = (container: Json): Json => asJson(contextOf(container).capabilities);
  const keeps = containers.filter((container) => !asList(ofContainer(container).drop).includes('ALL'));
  const added = (container: Json): string[] =>
    asList(ofContainer(container).add)
      .map(asString)
      .filter((name) => name !== 'NET_BIND_SERVICE');
  const adds = containers.filter((container) => added(container).length > 0);
  const names = [...new Set(adds.flatMap(added))].sort();
  const details = [
    ...(keeps.length === 0
      ? []
      : [`${containersText(keeps)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adds.length === 0
      ? []
      : [`${containersText(adds)} must not include ${quoted(names)} in securityContext.capabilities.add`]),
  ];
  return details.length === 0 ? [] : [{ rule: 'unrestricted capabilities', detail: details.join('; ') }];
};

/** A pod in a user namespace of its own may have it at the level baseline; the API server refuses it in any other pod. */
const procMount: Rule = ({ containers }) =>
  ofContainers(
    containers,
    (container) => !['', 'Default'].includes(asString(contextOf(container).procMount)),
    'procMount',
    (who) => `${who} must not set securityContext.procMount to "Unmasked"`,
  );

const volumes: Rule = ({ spec }) => {
  const bad = asObjects(spec.volumes).flatMap(({ name, ...source }) => {
    const kind = Object.keys(source).find((key) => source[key] !== undefined);
    return kind === undefined || VOLUMES.has(kind) ? [] : [{ name: asString(name), kind }];
  });
  if (bad.length === 0) return [];
  const names = quoted(bad.map(({ name }) => name));
  const kinds = [...new Set(bad.map(({ kind }) => kind))].sort();
  const who = bad.length === 1 ? `volume ${names} uses` : `volumes ${names} use`;
  const detail = `${who} restricted volume ${kinds.length === 1 ? 'type' : 'types'} ${quoted(kinds)}`;
  return [{ rule: 'restricted volume types', detail }];
};

const runAsNonRoot: Rule = ({ spec, containers }) => {
  // Root of a user namespace is no root of the node.
  if (spec.hostUsers === false) return [];
  const rule = 'runAsNonRoot != true';
  const ofPod = asJson(spec.securityContext).runAsNonRoot;
  const denies = containers.filter((container) => contextOf(container).runAsNonRoot === false);
  const details = [
    ...(ofPod === false && containers.some((container) => contextOf(container).runAsNonRoot !== true)
      ? ['pod']
      : []),
    ...(denies.length === 0 ? [] : [containersText(denies)]),
  ];
  if (details.length > 0) {
    return [{ rule, detail: `${details.join(' and ')} must not set securityContext.runAsNonRoot=false` }];
  }
  if (ofPod === true) return [];
  return ofContainers(
    containers,
    (container) => contextOf(container).runAsNonRoot !== true,
    rule,
    (who) => `pod or ${who} must set securityContext.runAsNonRoot=true`,
  );
};

const runAsUser: Rule = ({ spec, containers }) => {
  if (spec.hostUsers === false) return [];
  const isRoot = (context: Json): boolean =>
    context.runAsUser !== undefined && asNumber(context.runAsUser, 1) === 0;
  const bad = containers.filter((container) => isRoot(contextOf(container)));
  const who = [
    ...(isRoot(asJson(spec.securityContext)) ? ['pod'] : []),
    ...(bad.length === 0 ? [] : [containersText(bad)]),
  ];
  return who.length === 0
    ? []
    : [{ rule: 'runAsUser=0', detail: `${who.join(' and ')} must not set runAsUser=0` }];
};

const seccomp: Rule = (pod) => {
  const [ofBaseline] = seccompOfBaseline(pod);
  if (ofBaseline !== undefined) return [ofBaseline];
  if (asJson(asJson(pod.spec.securityContext).seccompProfile).type !== undefined) return [];
  return ofContainers(
    pod.containers,
    (container) => asJson(contextOf(container).seccompProfile).type === undefined,
    'seccompProfile',
    (who) => `pod or ${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  );
};

/** In the order in which violations are listed, after those of baseline. */
export const RESTRICTED: readonly Rule[] = [
  privilegeEscalation,
  capabilities,
  procMount,
  volumes,
  runAsNonRoot,
  runAsUser,
  seccomp,
];
