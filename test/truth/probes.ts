/** Probes of the truth suite: what is asked is the same for all types, so that only type and mode differ between rows. */
import type { Probe } from '../../src/api/index.ts';
import { APP_PORT } from './application.ts';

type Mode = Probe['mode'];

/** After which an answer is too late where that does not matter: an application that works never takes so long, on whatever machine. */
export const WITHIN_MS = 30_000;

/** What users may expect. */
export interface Expectation {
  readonly application: string;
  /** Text that a good answer holds; its status is 200. */
  readonly body?: string;
  /** A pattern that it matches, instead. */
  readonly matches?: string;
  /** After which an answer is too late. @default WITHIN_MS */
  readonly withinMs?: number;
  /** How much may go wrong. */
  readonly tolerance?: Probe['tolerance'];
  /** Attempts before the probe fails, 200 ms after one another. @default 1 */
  readonly attempts?: number;
  /** @default 100 */
  readonly everyMs?: number;
}

/** The ways in which users are looked after. */
export type CheckType = 'http' | 'cmd' | 'k8s' | 'prom' | 'load';

const BETWEEN_MS = 200;

function properties({
  withinMs = WITHIN_MS,
  attempts = 1,
  everyMs = 100,
}: Expectation): Probe['runProperties'] {
  return {
    probeTimeout: `${withinMs}ms`,
    interval: `${BETWEEN_MS}ms`,
    attempt: attempts,
    probePollingInterval: `${everyMs}ms`,
  };
}

const urlOf = ({ application }: Expectation): string => `http://${application}:${APP_PORT}/`;

function answerOf({ body, matches }: Expectation) {
  if (matches !== undefined) return { criteria: 'matches', responseBody: matches };
  return body === undefined
    ? { criteria: '==', responseCode: '200' }
    : { criteria: 'contains', responseBody: body };
}

const INPUTS: Readonly<Record<CheckType, (expected: Expectation) => Partial<Probe>>> = {
  http: (expected) => ({
    type: 'httpProbe',
    'httpProbe/inputs': {
      url: urlOf(expected),
      method: {
        get: answerOf(expected),
      },
    },
  }),
  // By a shell alone: no other program need be there. Without an answer it prints nothing: a command that fails would be an Error.
  cmd: ({ application, body = '200' }) => ({
    type: 'cmdProbe',
    'cmdProbe/inputs': {
      command: `bash -c 'exec 3<>/dev/tcp/${application}/${APP_PORT} && printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3' || true`,
      comparator: { type: 'string', criteria: 'contains', value: body },
    },
  }),
  // Running, not only there: a pod that has been replaced is there at once.
  k8s: ({ application }) => ({
    type: 'k8sProbe',
    'k8sProbe/inputs': {
      version: 'v1',
      resource: 'pods',
      namespace: '{namespace}',
      labelSelector: `app=${application}`,
      fieldSelector: 'status.phase=Running',
      operation: 'present',
    },
  }),
  load: (expected) => ({
    type: 'loadProbe',
    'loadProbe/inputs': { rate: RATE, requests: [{ url: urlOf(expected), responseCode: '200' }] },
  }),
  prom: () => ({
    type: 'promProbe',
    'promProbe/inputs': {
      endpoint: `http://metrics:${APP_PORT}`,
      query: 'failed_ratio',
      comparator: { criteria: '<', value: '0.5' },
    },
  }),
};

/** Requests of a load, per second. */
export const RATE = 25;

/** A load is sent at its rate, and each request once. */
function loadProperties({ withinMs = WITHIN_MS }: Expectation): Probe['runProperties'] {
  return { probeTimeout: `${withinMs}ms`, interval: '' };
}

/** A probe named `users`. Pure. */
export function users(type: CheckType, mode: Mode, expected: Expectation): Probe {
  return {
    name: 'users',
    mode,
    ...(expected.tolerance === undefined ? {} : { tolerance: expected.tolerance }),
    runProperties: type === 'load' ? loadProperties(expected) : properties(expected),
    ...INPUTS[type](expected),
  } as Probe;
}
