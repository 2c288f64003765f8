/** The part of Redfish (DMTF DSP0266) that a restart takes: a system's power state, and its Reset action. */

import { isObject, parseObject } from '@turnsole/kube/text/json';
import { StatusCheckError } from '../../experiment/injection/errors.ts';
import { type Answer, ask, describeAnswer, NoAnswerError } from '../remote/ask.ts';

/** Address and credentials of a machine's controller. */
export interface Controller {
  /** Address or name, with a port if it is not 443. */
  readonly address: string;
  readonly verifyTls: boolean;
  /** `Basic …`. */
  readonly authorization: string;
  readonly signal: AbortSignal;
}

/** A system behind the controller, by its own account. */
export interface ComputerSystem {
  /** Path of the resource. */
  readonly path: string;
  /** `On`, `Off`, `PoweringOn`, `PoweringOff`, `Paused`; undefined where it does not say. */
  readonly powerState: string | undefined;
}

/** The controller answered, and what it said will not change by asking again: wrong credentials, no such system. */
export class RefusedError extends StatusCheckError {}

const SYSTEMS = '/redfish/v1/Systems';

/** The value of the header. Pure. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** URL of a path; an IPv6 address gets its brackets. Pure. */
export function urlOf(address: string, path: string): string {
  const isIpv6 = address.split(':').length > 2 && !address.startsWith('[');
  return `https://${isIpv6 ? `[${address}]` : address}${path}`;
}

/**
 * The system of this id. Without one, a controller that has exactly one system means that one: the id depends on the
 * vendor.
 *
 * @throws RefusedError · NoAnswerError
 */
export async function findSystem(controller: Controller, id: string): Promise<ComputerSystem> {
  const path = `${SYSTEMS}/${id}/`;
  const answer = await askOf(controller, path);
  if (answer.status === 200) return systemOf(path, answer);
  if (answer.status !== 404) throw refusal(controller, path, answer);
  const members = await membersOf(controller);
  const [only] = members;
  if (members.length !== 1 || only === undefined) {
    const there = members.length === 0 ? 'none' : members.join(', ');
    throw new RefusedError(
      `${controller.address} has no system ${id}; it has ${there}: set REDFISH_SYSTEM to the last part of one`,
    );
  }
  const other = await askOf(controller, only);
  if (other.status !== 200) throw refusal(controller, only, other);
  return systemOf(only, other);
}

async function membersOf(controller: Controller): Promise<string[]> {
  const answer = await askOf(controller, SYSTEMS);
  const members = answer.status === 200 ? parseObject(answer.text)?.Members : undefined;
  if (!Array.isArray(members)) throw refusal(controller, SYSTEMS, answer);
  return members.flatMap((member: unknown) => {
    const path = isObject(member) ? member['@odata.id'] : undefined;
    return typeof path === 'string' ? [path] : [];
  });
}

function systemOf(path: string, { text }: Answer): ComputerSystem {
  const state = parseObject(text)?.PowerState;
  return { path, powerState: typeof state === 'string' ? state : undefined };
}

/**
 * Asks for a reset; the controller does it afterwards.
 *
 * @throws RefusedError when it does not take it · NoAnswerError
 */
export async function reset(
  controller: Controller,
  system: Pick<ComputerSystem, 'path'>,
  type: 'ForceRestart' | 'On',
): Promise<void> {
  const path = `${system.path.replace(/\/+$/, '')}/Actions/ComputerSystem.Reset`;
  const answer = await askOf(controller, path, { ResetType: type });
  if (answer.status < 200 || answer.status >= 400) throw refusal(controller, path, answer);
}

/** What the controller answers; posts the body, if there is one. */
function askOf(controller: Controller, path: string, body?: object): Promise<Answer> {
  const { address, authorization, verifyTls, signal } = controller;
  const method = body === undefined ? 'GET' : 'POST';
  return ask({ url: urlOf(address, path), method, body, headers: { authorization }, verifyTls, signal });
}

function refusal({ address }: Controller, path: string, answer: Answer): Error {
  const what = `${address} answers ${path} with ${describeAnswer(answer)}`;
  switch (answer.status) {
    case 401:
    case 403:
      return new RefusedError(`${what}; check USER and PASSWORD and what this user may do`);
    case 400:
    case 404:
    case 405:
      return new RefusedError(`${what}; check IPMI_IP and REDFISH_SYSTEM`);
    default:
      // Controllers are small and may be busy.
      return new NoAnswerError(what);
  }
}
