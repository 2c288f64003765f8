import { request } from 'node:http';
import { MACHINE_SOCKET_VARIABLE } from '@turnsole/cluster/node/machine/embedded-node';
import type { MachineOrder } from '@turnsole/cluster/node/machine/machine-order';
import { HelperError } from '../../../experiment/injection/errors.ts';
import { NodeError } from '../../../experiment/node/node-error.ts';

/** An order takes a moment; a machine that does not answer is gone with its cluster. */
const LIMIT_MS = 10_000;

/** Gives orders for the nodes of an embedded cluster. */
export type OrderMachine = (node: string, order: MachineOrder, signal?: AbortSignal) => Promise<void>;

/**
 * Sends the machine of an embedded cluster an order for a node, by the socket that privileged pods have. A node that is gone needs
 * nothing more.
 *
 * @throws NodeError when the socket does not exist; nothing was touched · HelperError when the order was not carried out
 */
export async function orderMachine(node: string, order: MachineOrder, signal?: AbortSignal): Promise<void> {
  const socketPath = process.env[MACHINE_SOCKET_VARIABLE] ?? '';
  if (socketPath === '') {
    throw new NodeError(
      `cannot reach the machine of node ${node}: ${MACHINE_SOCKET_VARIABLE} is not set, which only privileged pods of an embedded ` +
        'cluster of this release have; use the same release for cluster and helper',
    );
  }
  const path = `/nodes/${encodeURIComponent(node)}/agent`;
  const { status, text } = await put(socketPath, path, JSON.stringify(order), signal);
  if (status === 204) return;
  if (status === 404 && order.mode === 'running') return;
  throw new HelperError(`the machine did not set node ${node} to ${order.mode}: ${status} ${text}`);
}

function put(
  socketPath: string,
  path: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const limits = [AbortSignal.timeout(LIMIT_MS), ...(signal === undefined ? [] : [signal])];
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new HelperError(`cannot reach the machine at ${socketPath}`, { cause }));
    const sent = request({ socketPath, path, method: 'PUT', signal: AbortSignal.any(limits) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.on('error', fail);
    sent.end(body);
  });
}
