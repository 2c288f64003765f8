/** Compute Engine, as its REST reference describes instances, disks and operations: each operation takes a moment. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendJson, startTestServer } from '@turnsole/kube/testing/http-server';

/** An attached disk, as an instance lists it. */
interface Attached {
  source: string;
  deviceName: string;
  mode: string;
  autoDelete: boolean;
  boot: boolean;
}

/** An instance. */
interface Machine {
  status: string;
  readonly labels: Readonly<Record<string, string>>;
  disks: Attached[];
}

/** A zone of a project. */
export interface ComputeStandIn extends AsyncDisposable {
  readonly url: string;
  /** Folder with the key of a service account, as charts mount it. */
  readonly key: string;
  readonly machines: Map<string, Machine>;
  /** Labels by the names of disks. */
  readonly disks: Map<string, Readonly<Record<string, string>>>;
  machine(name: string, labels?: Readonly<Record<string, string>>): void;
  /** A disk, attached where an instance is given. */
  disk(
    name: string,
    machine?: string,
    attached?: Partial<Attached>,
    labels?: Readonly<Record<string, string>>,
  ): void;
  states(...names: readonly string[]): string;
  /** How a disk is attached; `loose` when it is not. */
  attachment(disk: string): string;
}

export const PROJECT = 'shop-test';
export const ZONE = 'europe-west1-b';

/** How long an operation takes, whoever asks for it. */
const OPERATION_MS = 60;

/** Starts one with nothing in it. */
export async function startCompute(): Promise<ComputeStandIn> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-gcp-'));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'client_email'), 'chaos@shop-test.iam.gserviceaccount.com\n');
  writeFileSync(join(folder, 'private_key'), String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  const machines = new Map<string, Machine>();
  const disks = new Map<string, Readonly<Record<string, string>>>();
  const operations = new Map<string, { isDone: boolean }>();
  const base = `/compute/v1/projects/${PROJECT}/zones/${ZONE}`;
  const urlOf = (disk: string): string => `https://www.googleapis.com${base}/disks/${disk}`;
  const usersOf = (disk: string): string[] =>
    [...machines]
      .filter(([, { disks: own }]) => own.some(({ source }) => source === urlOf(disk)))
      .map(([name]) => name);
  const server = await startTestServer(({ method, url, headers, body }, response) => {
    const fail = (code: number, reason: string): void =>
      sendJson(response, code, { error: { code, message: reason, errors: [{ reason }] } });
    if (!String(headers.authorization).startsWith('Bearer ey')) return fail(401, 'required');
    const { pathname, searchParams } = new URL(url, 'http://compute');
    if (!pathname.startsWith(base)) return fail(404, 'notFound');
    const [kind = '', name = '', action = ''] = pathname.slice(base.length + 1).split('/');
    const filter = searchParams.get('filter') ?? '';
    const matches = (labels: Readonly<Record<string, string>>): boolean => {
      const [, key = '', operator, value] = /labels\.([\w-]+)([:=])(\S+)/.exec(filter) ?? [];
      return key === '' || (operator === ':' ? key in labels : labels[key] === value);
    };
    const begin = (now: () => void, end: () => void): void => {
      now();
      const id = `operation-${operations.size}`;
      const operation = { isDone: false };
      operations.set(id, operation);
      setTimeout(() => {
        end();
        operation.isDone = true;
      }, OPERATION_MS).unref();
      sendJson(response, 200, { name: id, status: 'RUNNING' });
    };
    if (kind === 'operations') {
      const operation = operations.get(name);
      if (operation === undefined) return fail(404, 'notFound');
      return sendJson(response, 200, { name, status: operation.isDone ? 'DONE' : 'RUNNING' });
    }
    if (kind === 'disks') {
      const shown = (disk: string): object => ({ name: disk, selfLink: urlOf(disk), users: usersOf(disk) });
      if (name === '') {
        const found = [...disks].filter(([, labels]) => matches(labels)).map(([disk]) => shown(disk));
        return sendJson(response, 200, { items: found });
      }
      return disks.has(name) ? sendJson(response, 200, shown(name)) : fail(404, 'notFound');
    }
    if (name === '') {
      const found = [...machines].filter(([, { status, labels }]) => status === 'RUNNING' && matches(labels));
      return sendJson(response, 200, { items: found.map(([id, machine]) => ({ name: id, ...machine })) });
    }
    const machine = machines.get(name);
    if (machine === undefined) return fail(404, 'notFound');
    if (method === 'GET') return sendJson(response, 200, { name, ...machine });
    switch (action) {
      case 'stop':
        return begin(
          () => {
            machine.status = 'STOPPING';
          },
          () => {
            machine.status = 'TERMINATED';
          },
        );
      case 'start':
        if (machine.status === 'STOPPING') return fail(400, 'resourceNotReady');
        return begin(
          () => {
            machine.status = 'STAGING';
          },
          () => {
            machine.status = 'RUNNING';
          },
        );
      case 'detachDisk':
        return begin(
          () => {},
          () => {
            machine.disks = machine.disks.filter(
              ({ deviceName }) => deviceName !== searchParams.get('deviceName'),
            );
          },
        );
      case 'attachDisk': {
        const asked = JSON.parse(body) as Attached;
        return begin(
          () => {},
          () => {
            if (machine.disks.every(({ source }) => source !== asked.source))
              machine.disks.push({ ...asked, boot: false });
          },
        );
      }
      default:
        return fail(404, 'notFound');
    }
  });
  return {
    url: server.url,
    key: folder,
    machines,
    disks,
    machine: (name, labels = {}) => void machines.set(name, { status: 'RUNNING', labels, disks: [] }),
    disk: (name, machine, attached = {}, labels = {}) => {
      disks.set(name, labels);
      const shape = { deviceName: name, mode: 'READ_WRITE', autoDelete: false, boot: false, ...attached };
      if (machine !== undefined) machines.get(machine)?.disks.push({ source: urlOf(name), ...shape });
    },
    states: (...names) => names.map((name) => machines.get(name)?.status).join(' '),
    attachment: (disk) => {
      const [user = ''] = usersOf(disk);
      const own = machines.get(user)?.disks.find(({ source }) => source === urlOf(disk));
      if (own === undefined) return 'loose';
      return `${user} ${own.deviceName} ${own.mode} ${own.autoDelete ? 'deleted with it' : 'kept'}`;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
