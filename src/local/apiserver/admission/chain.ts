import { checkEscalation } from '../auth/escalation.ts';
import type { RbacAuthorizer } from '../auth/rbac.ts';
import type { AdmissionAttempt, Environment } from '../registry/environment.ts';
import { admitNamespace } from './namespace-lifecycle.ts';
import { admitPodDefaults } from './pod-defaults.ts';
import { admitServiceAccount } from './service-account.ts';

/** The admission steps in their order; each may refuse or change the write. */
export function admit(env: Environment, authorizer: RbacAuthorizer, attempt: AdmissionAttempt): void {
  admitNamespace(env, attempt);
  checkEscalation(attempt, authorizer, env.store);
  admitPodDefaults(env, attempt);
  admitServiceAccount(env, attempt);
}
