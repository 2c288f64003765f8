/**
 * Azure: the Resource Manager as its reference describes machines, instances of scale sets and disks, whose operations take a moment and are asked after; and
 * the place where tokens come from.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sendJson, startTestServer } from '@turnsole/kube/testing/http-server';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { operationOf } from './azure-description.ts';

/** An attached disk, as a machine lists it. */
interface Attached {
  readonly lun: number;
  readonly name: string;
  readonly caching: string;
  readonly writeAcceleratorEnabled: boolean;
  readonly deleteOption: string;
  readonly managedDisk: { readonly id: string; readonly diskEncryptionSet?: { readonly id: string } };
  toBeDetached: boolean;
}

interface Machine {
  power: string;
  readonly osDisk: string;
  disks: Attached[];
}

/** What is asked for when a disk is attached. */
interface Wanted {
  readonly diskId: string;
  readonly lun: number;
  readonly caching?: string;
  readonly writeAcceleratorEnabled?: boolean;
  readonly deleteOption?: string;
  readonly diskEncryptionSet?: { readonly id: string };
}

/** A resource group in a subscription. */
export interface AzureStandIn extends AsyncDisposable {
  /** Of the Resource Manager. */
  readonly url: string;
  /** Settings of its account, but for the address. */
  readonly account: Readonly<Record<string, string>>;
  /** File with the certificate of the authority that signs for the place of tokens. */
  readonly authority: string;
  /** Operations that were begun: `powerOff web-1`. */
  readonly orders: string[];
  /** Machines by their names; instances of sets are called `set_0`. */
  readonly machines: Map<string, Machine>;
  /** So many of the next requests are told to come back later. */
  throttled: number;
  /** The code with which the next operation ends, if it is to fail. */
  failure: string | undefined;
  machine(...names: readonly string[]): void;
  /** A disk, attached where a machine is given. */
  disk(name: string, machine?: string, attached?: Partial<Attached> & { readonly encryption?: string }): void;
  states(...names: readonly string[]): string;
  /** How a disk is attached; `loose` when it is not. */
  attachment(disk: string): string;
  /** Writes another file of credentials. @returns its path */
  authFile(fields: Readonly<Record<string, string>>): string;
}

export const SUBSCRIPTION = '0b1f6471-1bf0-4dda-aec3-cb9272f09590';
export const GROUP = 'shop-test';
const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';
const CLIENT = {
  clientId: '6a1c2b3d-0000-4000-8000-0123456789ab',
  clientSecret: 'a-secret-that-nobody-reads',
};
const AUDIENCE = 'https://management.azure.com/.default';
const COMPUTE = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute`;
/** How long an operation takes, whoever asks for it. */
const OPERATION_MS = 60;
const PAGE = 2;

/** Starts one with nothing in it. Its authority is trusted by this process. */
export async function startAzure(): Promise<AzureStandIn> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-azure-'));
  const machines = new Map<string, Machine>();
  const disks = new Set<string>();
  const orders: string[] = [];
  const operations = new Map<string, { state: string; code?: string }>();
  const tokens = await startTokens(folder);
  const idOf = (disk: string): string => `${COMPUTE}/disks/${disk}`;
  const resourceOf = (name: string): string => {
    const [, set, instance] = /^(.+)_(\d+)$/.exec(name) ?? [];
    return set === undefined
      ? `${COMPUTE}/virtualMachines/${name}`
      : `${COMPUTE}/virtualMachineScaleSets/${set}/virtualMachines/${instance}`;
  };
  const ownerOf = (id: string): string | undefined =>
    [...machines].find(
      ([, { osDisk, disks: own }]) => osDisk === id || own.some(({ managedDisk }) => managedDisk.id === id),
    )?.[0];
  const viewOf = ({ power }: Machine): object => ({
    statuses: [
      { code: 'ProvisioningState/succeeded', level: 'Info' },
      { code: `PowerState/${power}`, level: 'Info', displayStatus: `VM ${power}` },
    ],
  });
  const server = await startTestServer(({ method, url, headers, body }, response) => {
    const fail = (status: number, code: string, message = code, more: Record<string, string> = {}): void =>
      sendJson(response, status, { error: { code, message } }, more);
    if (headers.authorization !== `Bearer ${TOKEN}`) return fail(401, 'InvalidAuthenticationToken');
    if (azure.throttled > 0) {
      azure.throttled--;
      return fail(429, 'TooManyRequests', 'later', { 'retry-after': '3' });
    }
    const { pathname, searchParams } = new URL(url, 'http://azure');
    const here = `http://${headers.host}`;
    const [, id = ''] = /\/locations\/westeurope\/operations\/(\w+)$/.exec(pathname) ?? [];
    if (id !== '') {
      const operation = operations.get(id);
      if (operation === undefined) return fail(404, 'NotFound');
      const { state, code } = operation;
      if (searchParams.get('monitor') === 'true') {
        if (code !== undefined) return fail(409, code);
        return sendJson(
          response,
          state === 'InProgress' ? 202 : 200,
          {},
          { location: `${here}${url}`, 'retry-after': '1' },
        );
      }
      const error = code === undefined ? {} : { error: { code, message: `${code}, the stand-in says` } };
      return sendJson(response, 200, { status: state, ...error });
    }
    if (!pathname.startsWith(`/subscriptions/${SUBSCRIPTION}/`)) return fail(404, 'SubscriptionNotFound');
    const path = pathname.slice(`/subscriptions/${SUBSCRIPTION}/`.length);
    const token = searchParams.get('$skiptoken');
    searchParams.delete('$skiptoken');
    const asked = operationOf(method, path, searchParams, body);
    if (typeof asked === 'string') return fail(400, 'BadRequest', asked);
    const [group = '', ...names] = asked.names;
    if (group.toLowerCase() !== GROUP) return fail(404, 'ResourceGroupNotFound');
    if (asked.id === 'Disks_Get') {
      const disk = names[0] ?? '';
      if (!disks.has(disk)) return fail(404, 'ResourceNotFound');
      const owner = ownerOf(idOf(disk));
      const managed = owner === undefined ? {} : { managedBy: resourceOf(owner) };
      // The case of letters in ids is not kept everywhere.
      return sendJson(response, 200, {
        ...{ id: idOf(disk).replace('resourceGroups', 'resourcegroups'), name: disk, ...managed },
        properties: { diskState: owner === undefined ? 'Unattached' : 'Attached' },
      });
    }
    if (asked.id === 'VirtualMachineScaleSetVMs_List') {
      const all = [...machines].filter(([name]) => name.startsWith(`${names[0]}_`));
      const from = Number(token ?? 0);
      const value = all.slice(from, from + PAGE).map(([name, machine]) => ({
        instanceId: name.slice(name.lastIndexOf('_') + 1),
        properties: { instanceView: viewOf(machine) },
      }));
      const next = `${here}${pathname}?${searchParams.toString()}&$skiptoken=${from + PAGE}`;
      return sendJson(response, 200, { value, ...(from + PAGE < all.length ? { nextLink: next } : {}) });
    }
    const name = names.join('_');
    const machine = machines.get(name);
    if (machine === undefined) return fail(404, 'ResourceNotFound');
    const begin = (action: string, now: () => void, end: () => void): void => {
      orders.push(`${action} ${name}`);
      const code = azure.failure;
      azure.failure = undefined;
      if (code === undefined) now();
      const key = `op${operations.size}`;
      const operation: { state: string; code?: string } = { state: 'InProgress' };
      operations.set(key, operation);
      setTimeout(() => {
        if (code === undefined) end();
        operation.state = code === undefined ? 'Succeeded' : 'Failed';
        if (code !== undefined) operation.code = code;
      }, OPERATION_MS).unref();
      const at = `${here}/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Compute/locations/westeurope/operations/${key}?api-version=2024-11-01`;
      const watch: Record<string, string> = { location: `${at}&monitor=true`, 'retry-after': '1' };
      // Not all operations have both.
      if (names.length === 1) watch['azure-asyncoperation'] = at;
      response.writeHead(202, watch).end();
    };
    switch (asked.id.replace(/^\w+_(Get(?=Instance))?/, '')) {
      case 'Get':
        return sendJson(response, 200, {
          name,
          properties: {
            storageProfile: { osDisk: { managedDisk: { id: machine.osDisk } }, dataDisks: machine.disks },
          },
        });
      case 'InstanceView':
        return sendJson(response, 200, viewOf(machine));
      case 'PowerOff':
        return begin(
          'powerOff',
          () => {
            machine.power = 'stopping';
          },
          () => {
            machine.power = 'stopped';
          },
        );
      case 'Start':
        if (machine.power === 'stopping') return fail(409, 'OperationNotAllowed', 'it is being stopped');
        return begin(
          'start',
          () => {
            machine.power = 'starting';
          },
          () => {
            machine.power = 'running';
          },
        );
      default: {
        const { dataDisksToAttach: attach = [], dataDisksToDetach: detach = [] } = JSON.parse(body) as {
          dataDisksToAttach?: readonly Wanted[];
          dataDisksToDetach?: readonly { diskId: string }[];
        };
        const wanted = (id: string): string => idOf(id.slice(id.lastIndexOf('/') + 1));
        if (machine.disks.some(({ toBeDetached }) => toBeDetached))
          return fail(409, 'AttachDiskWhileBeingDetached');
        if (attach.some(({ diskId }) => ownerOf(wanted(diskId)) !== undefined)) return fail(409, 'DiskInUse');
        if (attach.some(({ lun }) => machine.disks.some((one) => one.lun === lun)))
          return fail(400, 'InvalidParameter', 'the LUN is taken');
        const leaving = machine.disks.filter(({ managedDisk }) =>
          detach.some(({ diskId }) => wanted(diskId) === managedDisk.id),
        );
        if (leaving.length < detach.length) return fail(400, 'InvalidParameter', 'it is not attached');
        return begin(
          attach.length > 0 ? 'attach' : 'detach',
          () => {
            for (const disk of leaving) disk.toBeDetached = true;
          },
          () => {
            machine.disks = machine.disks.filter((disk) => !leaving.includes(disk));
            for (const one of attach) machine.disks.push(attachedAs(one, wanted(one.diskId)));
          },
        );
      }
    }
  });
  const authFile = (fields: Readonly<Record<string, string>>): string => {
    const file = join(mkdtempSync(join(folder, 'auth-')), 'azure.auth');
    writeFileSync(file, JSON.stringify(fields));
    return file;
  };
  const credentials = {
    ...{ ...CLIENT, tenantId: TENANT, subscriptionId: SUBSCRIPTION, activeDirectoryEndpointUrl: tokens.url },
    resourceManagerEndpointUrl: 'https://management.azure.com/',
  };
  const azure: AzureStandIn = {
    url: server.url,
    account: { RESOURCE_GROUP: GROUP, AZURE_AUTH_LOCATION: authFile(credentials) },
    authority: tokens.authority,
    orders,
    machines,
    throttled: 0,
    failure: undefined,
    machine: (...names) => {
      for (const name of names) {
        disks.add(`${name}-system`);
        machines.set(name, { power: 'running', osDisk: idOf(`${name}-system`), disks: [] });
      }
    },
    disk: (name, machine, { encryption, ...own } = {}) => {
      disks.add(name);
      const to = machine === undefined ? undefined : machines.get(machine);
      const set = encryption === undefined ? {} : { diskEncryptionSet: { id: encryption } };
      to?.disks.push({ ...attachedAs({ diskId: name, lun: to.disks.length, ...set }, idOf(name)), ...own });
    },
    states: (...names) => names.map((name) => machines.get(name)?.power).join(' '),
    attachment: (disk) => {
      const owner = ownerOf(idOf(disk));
      const own = machines.get(owner ?? '')?.disks.find(({ managedDisk }) => managedDisk.id === idOf(disk));
      if (own === undefined) return 'loose';
      const { lun, caching, writeAcceleratorEnabled, deleteOption, managedDisk } = own;
      return `${owner} ${lun} ${caching} ${writeAcceleratorEnabled} ${deleteOption} ${managedDisk.diskEncryptionSet?.id ?? 'no set'}`;
    },
    authFile: (fields) => authFile({ ...credentials, ...fields }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await tokens[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return azure;
}

/** A disk with the API's defaults for what is not said. */
function attachedAs(wanted: Wanted, id: string): Attached {
  const {
    lun,
    caching = 'None',
    writeAcceleratorEnabled = false,
    deleteOption = 'Detach',
    diskEncryptionSet,
  } = wanted;
  return {
    ...{
      lun,
      name: id.slice(id.lastIndexOf('/') + 1),
      caching,
      writeAcceleratorEnabled,
      deleteOption,
      toBeDetached: false,
    },
    managedDisk: { id, ...(diskEncryptionSet === undefined ? {} : { diskEncryptionSet }) },
  };
}

const TOKEN = 'eyJ0eXAiOiJKV1QifQ.e30.of-the-stand-in';

/** Where an application gets its token: over TLS, as the vendor's library asks nowhere else. */
async function startTokens(
  folder: string,
): Promise<AsyncDisposable & { readonly url: string; readonly authority: string }> {
  const made = { commonName: 'azure stand-in', now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority(made);
  const own = makeServerCertificate(authority, { ...made, names: ['127.0.0.1'] });
  const file = join(folder, 'authority.pem');
  const pem = toPem('CERTIFICATE', authority.certificate);
  writeFileSync(file, pem);
  setDefaultCACertificates([...getCACertificates('default'), pem]);
  const tls = {
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: toPem('CERTIFICATE', own.certificate),
  };
  const server = await startTestServer(
    ({ method, url, headers, body }, response) => {
      const base = `https://${headers.host}/${TENANT}`;
      if (url.startsWith(`/${TENANT}/v2.0/.well-known/openid-configuration`)) {
        return sendJson(response, 200, {
          issuer: `${base}/v2.0`,
          authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
          token_endpoint: `${base}/oauth2/v2.0/token`,
          jwks_uri: `${base}/discovery/v2.0/keys`,
        });
      }
      const refuse = (error: string, error_description: string): void =>
        sendJson(response, 401, { error, error_description });
      if (method !== 'POST' || !url.startsWith(`/${TENANT}/oauth2/v2.0/token`))
        return refuse('invalid_request', 'AADSTS90002: no such tenant');
      const form = new URLSearchParams(body);
      if (form.get('client_id') !== CLIENT.clientId || form.get('client_secret') !== CLIENT.clientSecret) {
        return refuse('invalid_client', 'AADSTS7000215: Invalid client secret provided.');
      }
      if (form.get('scope')?.split(' ').includes(AUDIENCE) !== true)
        return refuse('invalid_scope', `AADSTS70011: ${form.get('scope')}`);
      return sendJson(response, 200, { token_type: 'Bearer', expires_in: 3599, access_token: TOKEN });
    },
    { tls },
  );
  return { url: server.url, authority: file, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
