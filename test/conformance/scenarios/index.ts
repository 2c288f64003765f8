import type { Theme } from '../harness/scenario.ts';
import { APPLYING } from './applying.ts';
import { BODIES } from './bodies.ts';
import { CHAOS } from './chaos.ts';
import { CONTROLLERS } from './controllers.ts';
import { CUSTOM_SCHEMAS } from './crd-schemas.ts';
import { CUSTOM_RESOURCES } from './crds.ts';
import { CRUD } from './crud.ts';
import { DEFAULT_ROLES } from './default-roles.ts';
import { DELETING } from './deleting.ts';
import { DISCOVERY } from './discovery.ts';
import { EVENTS } from './events.ts';
import { GARBAGE } from './garbage.ts';
import { KUBECTL } from './kubectl.ts';
import { MORE_KINDS } from './more-kinds.ts';
import { NAMESPACES } from './namespaces.ts';
import { PATCHING } from './patching.ts';
import { POD_RULES } from './pods.ts';
import { ROLE_BASED_ACCESS } from './rbac.ts';
import { READING } from './reading.ts';
import { REVIEWS } from './reviews.ts';
import { SERVICE_ACCOUNTS } from './service-accounts.ts';
import { SERVICES_AND_QUOTAS } from './services.ts';
import { SUBRESOURCES } from './subresources.ts';
import { TABLES } from './tables.ts';
import { WATCHING } from './watching.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKLOADS } from './workloads.ts';
import { WRITING } from './writing.ts';

/** All scenarios by theme, in the order of a first acquaintance with an API server. */
export const THEMES: readonly Theme[] = [
  CRUD,
  WRITING,
  BODIES,
  PATCHING,
  APPLYING,
  READING,
  WATCHING,
  DELETING,
  GARBAGE,
  SUBRESOURCES,
  NAMESPACES,
  SERVICE_ACCOUNTS,
  ROLE_BASED_ACCESS,
  DEFAULT_ROLES,
  REVIEWS,
  EVENTS,
  POD_RULES,
  WORKLOADS,
  SERVICES_AND_QUOTAS,
  MORE_KINDS,
  WEBHOOKS,
  CUSTOM_RESOURCES,
  CUSTOM_SCHEMAS,
  DISCOVERY,
  TABLES,
  KUBECTL,
  CONTROLLERS,
  CHAOS,
];
