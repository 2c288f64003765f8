/**
 * What Azure publishes of the operations that the faults use: Microsoft.Compute, virtual machines and scale sets of 2024-11-01, disks of 2024-03-02. The
 * stand-in serves these and refuses anything else, as the Resource Manager does.
 */

/** Form of a value: words stand for one of several texts, `!` behind a field's name says that it has to be there. */
export type Form =
  | 'text'
  | 'integer'
  | 'boolean'
  | readonly string[]
  | { readonly [field: string]: Form | readonly [Form & object] };

/** One operation. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Below the subscription; `{}` stands for a name. */
  readonly path: string;
  readonly version: string;
  readonly query?: readonly string[];
  readonly body?: Form;
}

const MACHINES = '2024-11-01';
const DISKS = '2024-03-02';
const COMPUTE = 'resourceGroups/{}/providers/Microsoft.Compute';
const MACHINE = `${COMPUTE}/virtualMachines/{}`;
const INSTANCES = `${COMPUTE}/virtualMachineScaleSets/{}/virtualMachines`;

const ATTACH_DETACH: Form = {
  dataDisksToAttach: [
    {
      'diskId!': 'text',
      lun: 'integer',
      caching: ['None', 'ReadOnly', 'ReadWrite'],
      deleteOption: ['Delete', 'Detach'],
      diskEncryptionSet: { id: 'text' },
      writeAcceleratorEnabled: 'boolean',
    },
  ],
  dataDisksToDetach: [{ 'diskId!': 'text', detachOption: ['ForceDetach'] }],
};

/** The operations of a machine; those of a scale set's instance are the same. */
const ofMachines = (group: string, path: string): readonly Operation[] => [
  { id: `${group}_Get`, method: 'GET', path, version: MACHINES, query: ['$expand'] },
  {
    id: `${group}_${group === 'VirtualMachines' ? 'InstanceView' : 'GetInstanceView'}`,
    method: 'GET',
    path: `${path}/instanceView`,
    version: MACHINES,
  },
  {
    id: `${group}_PowerOff`,
    method: 'POST',
    path: `${path}/powerOff`,
    version: MACHINES,
    query: ['skipShutdown'],
  },
  { id: `${group}_Start`, method: 'POST', path: `${path}/start`, version: MACHINES },
  {
    id: `${group}_AttachDetachDataDisks`,
    method: 'POST',
    path: `${path}/attachDetachDataDisks`,
    version: MACHINES,
    body: ATTACH_DETACH,
  },
];

const OPERATIONS: readonly Operation[] = [
  ...ofMachines('VirtualMachines', MACHINE),
  ...ofMachines('VirtualMachineScaleSetVMs', `${INSTANCES}/{}`),
  {
    id: 'VirtualMachineScaleSetVMs_List',
    method: 'GET',
    path: INSTANCES,
    version: MACHINES,
    query: ['$filter', '$select', '$expand'],
  },
  { id: 'Disks_Get', method: 'GET', path: `${COMPUTE}/disks/{}`, version: DISKS },
];

/** The operation that a request means, with the names in its path; a text says why the API refuses it. */
export function operationOf(
  method: string,
  path: string,
  query: URLSearchParams,
  body: string,
): { readonly id: string; readonly names: readonly string[] } | string {
  for (const operation of OPERATIONS) {
    // Case does not matter in paths.
    const pattern = new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll('{}', '([^/]+)')}$`, 'i');
    const names = pattern.exec(path)?.slice(1);
    if (names === undefined || operation.method !== method) continue;
    if (query.get('api-version') !== operation.version)
      return `${operation.id} has no version ${query.get('api-version')}`;
    const known = new Set(['api-version', ...(operation.query ?? [])]);
    const unknown = [...query.keys()].find((key) => !known.has(key));
    if (unknown !== undefined) return `${operation.id} has no parameter ${unknown}`;
    const wrong =
      operation.body === undefined
        ? body === ''
          ? undefined
          : 'no body'
        : problemIn(JSON.parse(body), operation.body, 'body');
    return wrong === undefined
      ? { id: operation.id, names: names.map(decodeURIComponent) }
      : `${operation.id}: ${wrong}`;
  }
  return `there is no ${method} ${path}`;
}

function problemIn(value: unknown, form: Form | readonly [Form & object], at: string): string | undefined {
  if (form === 'text') return typeof value === 'string' ? undefined : `${at} is no text`;
  if (form === 'integer') return Number.isInteger(value) ? undefined : `${at} is no integer`;
  if (form === 'boolean') return typeof value === 'boolean' ? undefined : `${at} is no boolean`;
  if (Array.isArray(form)) {
    const [first] = form as readonly unknown[];
    if (typeof first === 'string')
      return form.includes(value as never) ? undefined : `${at} is none of ${form.join(', ')}`;
    if (!Array.isArray(value)) return `${at} is no list`;
    return value
      .map((one, index) => problemIn(one, first as Form, `${at}[${index}]`))
      .find((problem) => problem !== undefined);
  }
  if (typeof value !== 'object' || value === null) return `${at} is no object`;
  const fields = new Map(
    Object.entries(form as Readonly<Record<string, Form>>).map(([name, own]) => [name.replace('!', ''), own]),
  );
  for (const name of Object.keys(form).filter((one) => one.endsWith('!'))) {
    if (!(name.slice(0, -1) in value)) return `${at}.${name.slice(0, -1)} is missing`;
  }
  for (const [name, own] of Object.entries(value)) {
    const expected = fields.get(name);
    if (expected === undefined) return `${at}.${name} is unknown`;
    const problem = problemIn(own, expected, `${at}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
