import { parseObject } from '@turnsole/kube/text/json';
import type { Context } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import type { PodLogRequest, PodLogResponse } from '../../schema/generated/types.ts';
import { askAgent, isConnected } from './ask-agent.ts';

/** Upstream's text instead of a log. */
const NOT_CONNECTED = 'INFRA ERROR : INFRA NOT CONNECTED';

/** The log of a pod, in one event, or in pieces if requested and the agent can. */
export async function* podLogs(request: PodLogRequest, context: Context): AsyncGenerator<PodLogResponse> {
  const { infraID: infra, experimentRunID, podName, podType, follow, pieces, ...place } = request;
  const { container, tailLines, timestamps, ...where } = place;
  const about = { experimentRunID, podName, podType };
  if (follow === true && pieces !== true) {
    throw new Refusal('invalid', 'follow needs pieces: true', { fields: ['request.follow'] });
  }
  if (!(await isConnected(infra, context))) {
    yield { ...about, log: NOT_CONNECTED };
    return;
  }
  const data = {
    ...about,
    ...where,
    ...(pieces === true && { pieces, ...(follow === true && { follow }) }),
    ...(typeof container === 'string' && { container }),
    ...(typeof tailLines === 'number' && { tailLines }),
    ...(timestamps === true && { timestamps }),
  };
  const mayLast = follow === true;
  for await (const log of askAgent({ infra, type: 'logs', data, mayLast }, context)) {
    yield { ...about, log };
    if (isLastPiece(log)) return;
  }
}

/** Whether it is the last one: agents without support for pieces send one text. Pure. */
export function isLastPiece(log: string): boolean {
  const { piece, isLast } = parseObject(log) ?? {};
  return typeof piece !== 'number' || isLast === true;
}
