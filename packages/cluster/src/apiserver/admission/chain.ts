import { checkEscalation } from '../auth/escalation.ts';
import type { RbacAuthorizer } from '../auth/rbac.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { admitCertificateRequest } from './certificates.ts';
import { admitLimitDefaults, reviewLimits } from './limit-range.ts';
import { admitNamespace } from './namespace-lifecycle.ts';
import { admitPodDefaults } from './pod-defaults.ts';
import { reviewPodResize } from './pod-resize.ts';
import { reviewPodSecurity } from './pod-security/review.ts';
import { reviewQuota } from './quota.ts';
import { admitRuntimeClass } from './runtime-class.ts';
import { admitServiceAccount } from './service-account.ts';

/** The admission steps in their order; each may refuse or change the write. */
export function admit(env: ServerParts, authorizer: RbacAuthorizer, attempt: AdmissionAttempt): void {
  admitNamespace(env, attempt);
  checkEscalation(attempt, authorizer, env.store);
  admitCertificateRequest(authorizer, attempt);
  admitPodDefaults(env, attempt);
  admitRuntimeClass(env, attempt);
  admitLimitDefaults(env, attempt);
  admitServiceAccount(env, attempt);
}

/** What judges a valid write at last; changes nothing. */
export function review(env: ServerParts, attempt: AdmissionAttempt): void {
  reviewPodResize(env, attempt);
  reviewPodSecurity(env, attempt);
  reviewLimits(env, attempt);
  reviewQuota(env, attempt);
}
