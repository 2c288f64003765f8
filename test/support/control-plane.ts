import { TurnsoleProcess, turnsole } from './turnsole.ts';

/** A control plane as the process that users start, with its administrator signed in. */
export interface ControlPlaneProcess extends AsyncDisposable {
  readonly url: string;
  readonly project: string;
  /** Environment of `turnsole remote`, signed in. */
  readonly env: NodeJS.ProcessEnv;
  /** The data of a GraphQL document. @throws Error with its errors */
  graphql(query: string, variables: object): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Starts `turnsole server`; it ends with the scope.
 *
 * @param listen HOST:PORT
 * @param home folder of its data and of the sign-in
 */
export async function controlPlane(listen: string, home: string): Promise<ControlPlaneProcess> {
  const env = { HOME: home, XDG_CONFIG_HOME: `${home}/config`, XDG_STATE_HOME: `${home}/state` };
  const server = new TurnsoleProcess(['server', '--data', `${home}/data`, '--listen', listen], env);
  try {
    const url = (await server.line(/^ {2}address /)).split(/\s+/)[2] ?? '';
    const password = (await server.line(/^ {2}password /)).split(/\s+/)[2] ?? '';
    const post = async (path: string, body: object, token?: string): Promise<Record<string, never>> => {
      const headers = {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      // The server's answers are objects.
      return (await answer.json()) as Record<string, never>;
    };
    const { accessToken, projectID } = await post('/auth/login', { username: 'admin', password });
    const login = await turnsole(['remote', 'login', url], { ...env, TURNSOLE_PASSWORD: password });
    if (login.code !== 0) throw new Error(login.stderr);
    return {
      url,
      env,
      project: String(projectID),
      graphql: async (query, variables) => {
        const { data, errors } = await post('/query', { query, variables }, String(accessToken));
        if (errors !== undefined) throw new Error(JSON.stringify(errors));
        return data ?? {};
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}
