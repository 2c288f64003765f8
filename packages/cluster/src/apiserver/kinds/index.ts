import type { Store } from '../../store/index.ts';
import type { ServiceAddresses } from './allocator.ts';
import { apiServices } from './api-services.ts';
import { APPS_KINDS } from './apps.ts';
import { BATCH_KINDS } from './batch.ts';
import { certificateRequests } from './certificates.ts';
import { CLUSTER_KINDS } from './cluster.ts';
import { componentStatuses } from './component-statuses.ts';
import { CONFIG_KINDS } from './config.ts';
import { DEVICE_KINDS } from './devices.ts';
import { EVENT_KINDS } from './events.ts';
import type { KindDefinition } from './kind.ts';
import { MUTATING_POLICY_KINDS } from './mutating-policies.ts';
import { OTHER_KINDS } from './others.ts';
import { POD_KINDS } from './pods.ts';
import { RBAC_KINDS } from './rbac.ts';
import { VIRTUAL_KINDS } from './reviews.ts';
import { serviceKind } from './services.ts';
import { VALIDATING_POLICY_KINDS } from './validating-policies.ts';
import { WEBHOOK_KINDS } from './webhook-configurations.ts';

/** Every built-in kind, core first: clients prefer the first match. */
export function builtInKinds(services: ServiceAddresses, store: Store): readonly KindDefinition[] {
  return [
    ...CLUSTER_KINDS,
    ...POD_KINDS,
    ...CONFIG_KINDS,
    serviceKind(services, store),
    ...EVENT_KINDS,
    ...APPS_KINDS,
    ...BATCH_KINDS,
    ...OTHER_KINDS,
    ...DEVICE_KINDS,
    ...RBAC_KINDS,
    certificateRequests,
    ...WEBHOOK_KINDS,
    ...MUTATING_POLICY_KINDS,
    ...VALIDATING_POLICY_KINDS,
    apiServices,
    componentStatuses,
    ...VIRTUAL_KINDS,
  ];
}
