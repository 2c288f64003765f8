/** How systemd sees a unit. */
export interface UnitState {
  readonly id: string;
  /** `loaded`, `not-found`, `masked`… */
  readonly load: string;
  /** `active`, `inactive`, `failed`, `activating`… */
  readonly active: string;
}

/** Reads what `systemctl show --property=Id,LoadState,ActiveState UNIT…` prints: blocks with an empty line between. Pure. */
export function parseUnitStates(text: string): UnitState[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => new Map(block.split('\n').map((line) => splitOnce(line.trim()))))
    .filter((fields) => fields.has('Id'))
    .map((fields) => ({
      id: fields.get('Id') ?? '',
      load: fields.get('LoadState') ?? '',
      active: fields.get('ActiveState') ?? '',
    }));
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}

/**
 * The wanted units that have to be stopped, and started again later: those that run. The last one is the service itself; the units
 * before it (a socket that would start it again) may be missing. A text says why nothing can be stopped. Pure.
 */
export function unitsToStop(
  wanted: readonly string[],
  states: readonly UnitState[],
): readonly string[] | string {
  const byId = new Map(states.map((state) => [state.id, state]));
  const main = wanted.at(-1) ?? '';
  const state = byId.get(main);
  if (state === undefined || state.load === 'not-found') {
    return `there is no unit ${main} on this node; name the right one in SERVICE_NAME`;
  }
  if (state.active !== 'active' && state.active !== 'reloading') {
    return `unit ${main} does not run on this node (it is ${state.active}); name the right one in SERVICE_NAME`;
  }
  return wanted.filter((unit) => byId.get(unit)?.active === 'active' || unit === main);
}

/**
 * The units of the container runtime of a node, by `nodeInfo.containerRuntimeVersion`. Docker's socket would start it again at the first
 * call of the kubelet. Undefined for an unknown runtime. Pure.
 */
export function runtimeUnits(containerRuntimeVersion: string): readonly string[] | undefined {
  switch (containerRuntimeVersion.split('://')[0]) {
    case 'containerd':
      return ['containerd.service'];
    case 'cri-o':
      return ['crio.service'];
    case 'docker':
      return ['docker.socket', 'docker.service'];
    default:
      return undefined;
  }
}

/** A unit's full name; systemctl takes names without a type for services. Pure. */
export function serviceUnit(name: string): string {
  return /\.(service|socket|target)$/.test(name) ? name : `${name}.service`;
}
