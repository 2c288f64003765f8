import type { Migration } from '../migrate.ts';
import { AUTHORED, createTable } from './columns.ts';

/** Users with their sessions and sign-ins, projects and their members, environments. */
export const accounts: Migration = {
  version: 1,
  name: 'accounts',
  breaking: true,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'users', {
      columns: {
        id: 'text',
        username: 'text',
        name_key: 'text',
        password_hash: 'text?',
        email: 'text',
        name: 'text',
        role: 'text',
        initial_login: 'flag',
        deactivated_at: 'time?',
        oidc_subject: 'text?',
        ...AUTHORED,
      },
      key: ['id'],
      unique: [['name_key'], ['oidc_subject']],
    });
    await createTable(db, dialect, 'sessions', {
      columns: {
        id: 'text',
        user_id: 'text',
        kind: 'text',
        name: 'text',
        created_at: 'time',
        expires_at: 'time',
        last_used_at: 'time',
        made_from: 'text',
      },
      key: ['id'],
      indexes: [['user_id'], ['expires_at']],
    });
    await createTable(db, dialect, 'oidc_logins', {
      columns: { state: 'text', nonce: 'text', verifier: 'text', return_to: 'text', expires_at: 'time' },
      key: ['state'],
    });
    await createTable(db, dialect, 'login_failures', {
      columns: { subject: 'text', failures: 'count', last_at: 'time', blocked_until: 'time' },
      key: ['subject'],
      indexes: [['last_at']],
    });
    await createTable(db, dialect, 'projects', {
      columns: { id: 'text', name: 'text', description: 'text', tags: 'json', ...AUTHORED, removed: 'flag' },
      key: ['id'],
    });
    await createTable(db, dialect, 'members', {
      columns: {
        project_id: 'text',
        user_id: 'text',
        role: 'text',
        invitation: 'text',
        invited_at: 'time',
        joined_at: 'time?',
      },
      key: ['project_id', 'user_id'],
      indexes: [['user_id']],
    });
    await createTable(db, dialect, 'environments', {
      columns: {
        project_id: 'text',
        id: 'text',
        name: 'text',
        description: 'text',
        tags: 'json',
        type: 'text',
        ...AUTHORED,
        removed: 'flag',
      },
      key: ['project_id', 'id'],
    });
  },
};
