import type { Noun } from '../access/noun.ts';
import { createToken, listTokens, removeToken } from './api-tokens.ts';
import { resetPassword, updatePassword } from './change-password.ts';
import { updateDetails, updateState } from './change-user.ts';
import { createUser } from './create-user.ts';
import { forgetFailedLogins } from './forget-failed-logins.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { beginLogin } from './oidc/begin-login.ts';
import { completeLogin } from './oidc/complete-login.ts';
import { getUser, listUsers, usersToInvite } from './read-users.ts';

export { type Administrator, ensureAdministrator } from './ensure-administrator.ts';

/** Users, their passwords, tokens and sessions. */
export const userNoun: Noun = {
  routes: {
    'GET /capabilities': async (_args, { plane }) => ({
      dex: { enabled: plane.settings.oidc !== undefined },
    }),
    'GET /dex/login': beginLogin,
    'GET /dex/callback': completeLogin,
    'POST /login': login,
    'POST /logout': logout,
    'GET /get_user/:uid': getUser,
    'GET /users': listUsers,
    'GET /invite_users/:project_id': usersToInvite,
    'POST /create_user': createUser,
    'POST /update/details': updateDetails,
    'POST /update/password': updatePassword,
    'POST /reset/password': resetPassword,
    'POST /update/state': updateState,
    'GET /token/:uid': listTokens,
    'POST /create_token': createToken,
    'POST /remove_token': removeToken,
  },
  duties: [{ name: 'forget failed sign-ins', everyMs: 10 * 60_000, run: forgetFailedLogins }],
};
