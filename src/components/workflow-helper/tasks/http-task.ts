import { isAccessAllowed, serviceAccountSubject } from '@turnsole/kube/client/access-review';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Secret } from '@turnsole/kube/kinds/core';
import { SECRETS } from '@turnsole/kube/kinds/resources';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import { type SecretKey, secretKey } from '@turnsole/workflows/artifacts/secrets';
import type { HttpTemplate } from '@turnsole/workflows/kinds/template';
import { exchange, textOf } from '../http/exchange.ts';
import type { Reach } from '../http/reach.ts';
import type { Task, TaskAnswer } from './answer.ts';
import { judgeHttp } from './judge-http.ts';

/** Tools for HTTP tasks. */
interface HttpTaskParts {
  readonly client: KubeClient;
  readonly reach: Reach;
}

const DEFAULT_TIMEOUT_S = 30;
/** Timers of Node take 31 bits of milliseconds, almost 25 days; a longer one fires at once. */
const MOST_TIMEOUT_S = Math.floor((2 ** 31 - 1) / 1_000);

/** An answer becomes part of the workflow's status, which the API server limits. */
const MOST_BODY_BYTES = 256 * 1024;

/** Sends the request of an `http` template and judges the answer. @throws the signal's reason */
export async function runHttpTask(
  task: Task,
  parts: HttpTaskParts,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  const http = task.template.http ?? { url: '' };
  const { method = 'GET', url } = http;
  const timeoutSeconds = Number(http['timeoutSeconds'] ?? DEFAULT_TIMEOUT_S);
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MOST_TIMEOUT_S)) {
    const message = `http.timeoutSeconds: ${String(http['timeoutSeconds'])} was found; a number of seconds above 0 and up to ${MOST_TIMEOUT_S} is expected`;
    return { phase: 'Error', message };
  }
  let sent: Awaited<ReturnType<typeof requestOf>>;
  try {
    sent = await requestOf(http, task, parts.client, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { phase: 'Error', message: messageOf(error) };
  }
  const limit = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000));
  try {
    const answer = await exchange({
      method,
      url,
      headers: sent.headers,
      ...(sent.body !== '' && { body: sent.body }),
      tls: { insecureSkipVerify: http['insecureSkipVerify'] === true },
      reach: parts.reach,
      signal: AbortSignal.any([signal, limit]),
    });
    const body = await textOf(answer.body, MOST_BODY_BYTES + 1);
    if (Buffer.byteLength(body) > MOST_BODY_BYTES) {
      const message = `${url} answers with more than ${MOST_BODY_BYTES} bytes, which do not fit into a status: fetch it as an artifact of http`;
      return { phase: 'Failed', message };
    }
    const { status, headers } = answer;
    const facts = {
      method,
      url,
      requestHeaders: sent.headers,
      requestBody: sent.body.toString(),
      status,
      headers,
      body,
    };
    return judgeHttp(facts, http.successCondition);
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted
      ? `no answer within ${timeoutSeconds} s (http.timeoutSeconds)`
      : messageOf(error);
    return { phase: 'Failed', message: `${capitalized(method)} "${url}": ${why}` };
  }
}

async function requestOf(
  http: HttpTemplate,
  task: Task,
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly headers: Record<string, string[]>; readonly body: string | Buffer }> {
  const headers: Record<string, string[]> = {};
  const list = http['headers'];
  for (const header of (Array.isArray(list) ? list : []).filter(isObject)) {
    const name = String(header['name'] ?? '');
    const from = isObject(header['valueFrom']) ? secretKey(header['valueFrom']['secretKeyRef']) : undefined;
    const value =
      from === undefined ? String(header['value'] ?? '') : await readSecret(task, client, from, signal);
    headers[name] = [...(headers[name] ?? []), value];
  }
  const from = http['bodyFrom'];
  const bytes = isObject(from) ? from['bytes'] : undefined;
  return { headers, body: typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : (http.body ?? '') };
}

/**
 * Reads a Secret for a header. The controller may read more than the authors of workflows: it reads for them only what the service account
 * of the workflow may read itself.
 */
async function readSecret(
  { workflow, spec, template }: Task,
  client: KubeClient,
  { name, key }: SecretKey,
  signal: AbortSignal,
): Promise<string> {
  const { namespace = '' } = workflow.metadata;
  const account = template.serviceAccountName ?? spec.serviceAccountName ?? 'default';
  try {
    return await readAllowed(client, { namespace, account, name, key }, signal);
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    throw new Error(
      `the controller may not read Secret ${namespace}/${name} for a header: let it get Secrets and create SubjectAccessReviews`,
      { cause },
    );
  }
}

async function readAllowed(
  client: KubeClient,
  { namespace, account, name, key }: SecretKey & { readonly namespace: string; readonly account: string },
  signal: AbortSignal,
): Promise<string> {
  const subject = serviceAccountSubject({ namespace, name: account });
  const right = { namespace, group: '', resource: 'secrets', verb: 'get', name };
  if (!(await isAccessAllowed(client, subject, right, signal)))
    throw new Error(
      `service account ${namespace}/${account} of the workflow may not get Secret ${name}, which a header is to come from: give it that right`,
    );
  const secret = await client.find<Secret>(SECRETS, name, { namespace, signal });
  const value = secret?.data?.[key];
  if (value === undefined)
    throw new Error(`Secret ${namespace}/${name} has no key ${key}, which a header is to come from`);
  return Buffer.from(value, 'base64').toString('utf8').trimEnd();
}

/** `Get`, as Go says it. */
function capitalized(method: string): string {
  return method.charAt(0).toUpperCase() + method.slice(1).toLowerCase();
}
