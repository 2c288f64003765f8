import { ApiProblem } from './problem.ts';

/** A document and the type of its answer. */
export interface Document<Data, Variables extends object> {
  readonly text: string;
  /** For the type checker only; documents do not have it. */
  readonly types?: (variables: Variables) => Data;
}

interface GraphQLAnswer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** Sends a GraphQL request. @throws ApiProblem if the server is unreachable or refuses */
export async function ask<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const answer = (await send('/query', { query: document.text, variables }, signal)) as GraphQLAnswer<Data>;
  const [error] = answer.errors ?? [];
  if (error !== undefined) throw new ApiProblem(error.extensions?.code ?? 'refused', error.message);
  if (answer.data === undefined || answer.data === null) {
    throw new ApiProblem('refused', 'the server answered without data; try again');
  }
  return answer.data;
}

/** Calls the sign-in part of the API: `POST` with a body, else `GET`. @throws ApiProblem */
export async function callRest(path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
  return send(path, body, signal);
}

async function send(
  path: string,
  body: object | undefined,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const answer = await request(path, body, signal);
  const content: unknown = await answer.json().catch(() => undefined);
  if (answer.ok || (path === '/query' && content !== undefined && answer.status < 500)) {
    if (answer.status !== 401) return content;
  }
  const { errorDescription, error } = (content ?? {}) as { errorDescription?: string; error?: string };
  const code =
    answer.status === 401 ? 'unauthenticated' : answer.status === 403 ? 'forbidden' : (error ?? 'refused');
  throw new ApiProblem(code, errorDescription ?? `the server answered ${answer.status} to ${path}`);
}

async function request(
  path: string,
  body: object | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(path, {
      credentials: 'same-origin',
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ApiProblem('away', 'the server cannot be reached; what is shown may be old', { cause });
  }
}
