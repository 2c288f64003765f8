import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { Store } from '../../store/index.ts';
import type { User } from '../http/user.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import type { KindRegistry } from './registry.ts';

/** What every operation needs. */
export interface ServerParts {
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** A new object's uid. */
  readonly uid: () => string;
  /** Called before a write is stored; throws a StatusError to refuse it, may change the object. */
  readonly admit: (attempt: AdmissionAttempt) => void;
  /** Called with a valid write, last before it is stored: throws to refuse it, changes nothing but its own accounts. */
  readonly review: (attempt: AdmissionAttempt) => void;
  /** Called with host and status code when a webhook was asked; `<error>` where it gave no answer. */
  readonly onClientRequest?: (host: string, code: string) => void;
}

/** A write that admission judges. */
export interface AdmissionAttempt {
  readonly operation: 'create' | 'update' | 'delete';
  readonly definition: KindDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent for deletions. */
  readonly object?: ApiObject;
  readonly old?: ApiObject;
  readonly context: WriteContext;
}

/** The user and the options of a write. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** Whether the client gave its name itself: then ownership of fields is kept. */
  readonly isNamedManager?: boolean;
  /** Whether this is an apply, which keeps ownership by itself. */
  readonly isApply?: boolean;
  /** Collected for the Warning headers of the answer. */
  readonly warnings: string[];
}
