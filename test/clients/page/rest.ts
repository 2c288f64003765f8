import assert from 'node:assert/strict';
import type { Checks } from '../suite/client.ts';
import type { ControlPlane, Reply } from '../suite/control-plane.ts';
import type { PageConnection } from './connection.ts';

const PASSWORD = 'First@1234';
const NEXT_PASSWORD = 'Second@1234';

/** Answers as far as later requests need them. */
interface Answers {
  readonly accessToken: string;
  readonly projectID: string;
  readonly userID: string;
  readonly apiTokens?: readonly { readonly token: string }[];
  readonly data: { readonly projectID: string };
}

/** The operations of REST that ChaosCenter's page has, each as it sends them, in the course of one user's work. */
export async function restOperations(
  plane: ControlPlane,
  page: PageConnection,
  checks: Checks,
): Promise<void> {
  const operation = async (name: string, request: () => Promise<Reply>): Promise<Answers> => {
    let body: unknown;
    await checks.expected(name, async () => {
      const reply = await request();
      assert.equal(reply.status, 200, `${reply.status}: ${JSON.stringify(reply.body)}`);
      body = reply.body;
    });
    return (body ?? {}) as Answers;
  };
  const get = (name: string, path: string): Promise<Answers> => operation(name, () => page.rest('GET', path));
  const post = (name: string, path: string, body?: object): Promise<Answers> =>
    operation(name, () => page.rest('POST', path, body));
  const signIn = async (username: string, password: string): Promise<string> => {
    page.token = 'null';
    const reply = await page.rest('POST', '/login', { username, password });
    return (reply.body as Answers).accessToken;
  };

  await get('GET /auth/capabilities', '/capabilities');
  const { accessToken } = await post('POST /auth/login', '/login', {
    username: plane.username,
    password: plane.password,
  });
  page.token = accessToken;
  await get('GET /auth/status', '/status');
  const { projectID } = await post('POST /auth/create_project', '/create_project', {
    projectName: 'checkout',
    description: '',
    tags: [],
  }).then(({ data }) => data ?? { projectID: '' });
  const { userID } = await post('POST /auth/create_user', '/create_user', {
    ...{ name: 'Carol', email: 'carol@example.com', username: 'carol', password: PASSWORD, role: 'user' },
  });
  await get('GET /auth/users', '/users');
  await get('GET /auth/get_user', `/get_user/${userID}`);
  await get('GET /auth/get_user_with_project', '/get_user_with_project/carol');
  await get(
    'GET /auth/list_projects',
    '/list_projects?page=0&limit=15&sortField=name&sortAscending=true&projectName=&createdByMe=false',
  );
  await get('GET /auth/get_owner_projects', '/get_owner_projects');
  await get('GET /auth/get_project', `/get_project/${projectID}`);
  await get('GET /auth/get_project_role', `/get_project_role/${projectID}`);
  await get('GET /auth/get_projects_stats', '/get_projects_stats');
  await post('POST /auth/update_project_name', '/update_project_name', { projectID, projectName: 'basket' });
  await get('GET /auth/invite_users', `/invite_users/${projectID}`);
  await post('POST /auth/send_invitation', '/send_invitation', { projectID, userID, role: 'Viewer' });
  await get('GET /auth/get_project_members', `/get_project_members/${projectID}/not_accepted`);
  await post('POST /auth/remove_invitation', '/remove_invitation', { projectID, userID });
  await post('POST /auth/reset/password', '/reset/password', {
    ...{ username: 'carol', oldPassword: '', newPassword: NEXT_PASSWORD },
  });
  await post('POST /auth/update/state', '/update/state', { username: 'carol', isDeactivate: true });
  await page.rest('POST', '/update/state', { username: 'carol', isDeactivate: false });

  const owner = page.token;
  // The page asks for a password of one's own before anything else.
  page.token = await signIn('carol', NEXT_PASSWORD);
  await post('POST /auth/update/password', '/update/password', {
    ...{ username: 'carol', oldPassword: NEXT_PASSWORD, newPassword: PASSWORD },
  });
  const carol = await signIn('carol', PASSWORD);
  const as = async <Result>(token: string, request: () => Promise<Result>): Promise<Result> => {
    page.token = token;
    return request();
  };
  const invite = (): Promise<Reply> =>
    as(owner, () => page.rest('POST', '/send_invitation', { projectID, userID, role: 'Viewer' }));
  await invite();
  page.token = carol;
  await get('GET /auth/list_invitations_with_filters', '/list_invitations_with_filters/Pending');
  await post('POST /auth/decline_invitation', '/decline_invitation', { projectID, userID });
  await invite();
  page.token = carol;
  await post('POST /auth/accept_invitation', '/accept_invitation', { projectID, userID });
  await post('POST /auth/leave_project', '/leave_project', { projectID, userID });
  await post('POST /auth/update/details', '/update/details', { name: 'Carol C.', email: 'c@example.com' });
  await post('POST /auth/create_token', '/create_token', {
    ...{ name: 'scripts', user_id: userID, days_until_expiration: 30 },
  });
  const { apiTokens = [] } = await get('GET /auth/token', `/token/${userID}`);
  await post('POST /auth/remove_token', '/remove_token', { token: apiTokens[0]?.token });
  await post('POST /auth/logout', '/logout');
  page.token = owner;
  await post('POST /auth/delete_project', `/delete_project/${projectID}`);
}
