import type { Clock } from '@turnsole/kube/base/clock';
import type { ApiRequest } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { unauthorized } from '../http/status.ts';
import type { User } from '../http/user.ts';
import { type Attributes, attributesOf, refusal } from './attributes.ts';
import type { Authenticator } from './authenticator.ts';
import { readImpersonation } from './impersonation.ts';
import type { RbacAuthorizer } from './rbac.ts';

/** Authenticates and authorises requests. */
export class Gate {
  readonly #authenticator: Authenticator;
  readonly #authorizer: RbacAuthorizer;
  readonly #clock: Clock;

  constructor(authenticator: Authenticator, authorizer: RbacAuthorizer, clock: Clock) {
    this.#authenticator = authenticator;
    this.#authorizer = authorizer;
    this.#clock = clock;
  }

  /** The user with these credentials; undefined when they are not known. */
  identify(headers: ApiRequest['headers'], certificate: ApiRequest['certificate']): User | undefined {
    return this.#authenticator.authenticate(headers, certificate, Math.floor(this.#clock.now() / 1000));
  }

  /** The user of a request, after impersonation. @throws StatusError Unauthorized and Forbidden */
  admit(http: ApiRequest, info: RequestInfo): User {
    const real = this.identify(http.headers, http.certificate);
    if (real === undefined) throw unauthorized();
    const impersonation = readImpersonation(http.headers);
    for (const required of impersonation?.required ?? []) this.#mustBeAllowed(real, required);
    const user = impersonation?.user ?? real;
    this.#mustBeAllowed(user, attributesOf(info));
    return user;
  }

  #mustBeAllowed(user: User, attributes: Attributes): void {
    const decision = this.#authorizer.authorize(user, attributes);
    if (!decision.allowed) throw refusal(user, attributes, decision.reason);
  }
}
