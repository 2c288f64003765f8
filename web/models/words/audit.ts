import { isJson, textAt } from '../json/json.ts';

/** What somebody did, by the operation; `*` stands for the object. */
export const DID: Readonly<Record<string, string>> = {
  confirmInfraRegistration: 'connected *',
  gitopsNotifier: 'began a run for a change in Git',
  registerInfra: 'created *',
  deleteInfra: 'removed *',
  rotateInfraKey: 'made a new key for *',
  setInfraMetrics: 'changed the metrics of *',
  haltChaos: 'halted all chaos of the project',
  resumeChaos: 'allowed chaos of the project again',
  haltAllChaos: 'halted all chaos',
  resumeAllChaos: 'allowed chaos again',
  saveChaosExperiment: 'changed *',
  createChaosExperiment: 'created *',
  updateChaosExperiment: 'changed *',
  runChaosExperiment: 'ran *',
  stopExperimentRuns: 'stopped *',
  deleteChaosExperiment: 'deleted *',
  updateCronExperimentState: 'changed the schedule of *',
  addProbe: 'created *',
  updateProbe: 'changed *',
  deleteProbe: 'deleted *',
  tryProbe: 'tried *',
  addChaosHub: 'added *',
  addRemoteChaosHub: 'added *',
  saveChaosHub: 'added *',
  updateChaosHub: 'changed *',
  deleteChaosHub: 'removed *',
  syncChaosHub: 'read * again',
  createEnvironment: 'created *',
  updateEnvironment: 'changed *',
  deleteEnvironment: 'deleted *',
  createWebhook: 'created *',
  updateWebhook: 'changed *',
  deleteWebhook: 'deleted *',
  testWebhook: 'sent a test message',
  retryWebhookDelivery: 'sent * again',
  enableGitOps: 'connected a Git repository',
  disableGitOps: 'disconnected the Git repository',
  updateGitOps: 'changed the Git repository',
  syncGitOps: 'read the Git repository again',
  createImageRegistry: 'set the image registry',
  updateImageRegistry: 'changed the image registry',
  deleteImageRegistry: 'removed the image registry',
  haltCluster: 'halted all chaos in the cluster',
  resumeCluster: 'allowed chaos in the cluster again',
  'POST /login': 'signed in',
  'GET /dex/callback': 'signed in',
  'POST /logout': 'signed out',
  'POST /create_user': 'created *',
  'POST /update/details': 'changed *',
  'POST /update/password': 'changed the password of *',
  'POST /reset/password': 'set the password of *',
  'POST /update/state': 'changed the access of *',
  'POST /create_token': 'created a token',
  'POST /remove_token': 'revoked a token',
  'POST /create_project': 'created *',
  'POST /send_invitation': 'invited *',
  'POST /accept_invitation': 'accepted the invitation',
  'POST /decline_invitation': 'declined the invitation',
  'POST /remove_invitation': 'removed *',
  'POST /leave_project': 'left the project',
  'POST /update_project_name': 'renamed *',
  'POST /update_member_role': 'changed the role of *',
  'POST /delete_project/:project_id': 'deleted *',
};

/** A line of the audit log, as far as its words need it. */
interface AuditLine {
  readonly operation: string;
  readonly objectKind: string;
  readonly objectID: string;
  /** Empty where the server does not know it. */
  readonly objectName: string;
  /** JSON texts of the object; null if it did not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What a line says: `changed experiment checkout`; the words before the name of the object, the name, and those after it. Pure. */
export function auditWords({ operation, objectKind, objectID, objectName, before, after }: AuditLine): {
  readonly before: string;
  readonly name: string;
  readonly after: string;
} {
  // One operation does both.
  const isNew = operation === 'saveChaosExperiment' && before === null;
  const did = isNew ? 'created *' : (DID[operation] ?? `${operation} *`);
  const at = did.indexOf('*');
  if (at < 0) return { before: did, name: '', after: '' };
  const kind = KINDS[objectKind] ?? objectKind;
  return {
    before: `${did.slice(0, at)}${kind} `,
    name: nameIn(after) ?? nameIn(before) ?? (objectName || objectID),
    after: did.slice(at + 1),
  };
}

/** Kinds of objects, where they are not the words that the page has for them. */
const KINDS: Readonly<Record<string, string>> = {
  infra: 'infrastructure',
  registry: 'image registry',
  gitops: 'Git repository',
  delivery: 'message',
  password: 'user',
};

/** The name that an object has in its JSON text. */
function nameIn(text: string | null): string | undefined {
  let object: unknown;
  try {
    object = JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
  if (!isJson(object)) return undefined;
  const name = textAt(object, 'name') || textAt(object, 'username');
  return name === '' ? undefined : name;
}
