/**
 * What API servers later than the recorded one (1.20) add by themselves. It is taken out of both sides, so that a server
 * that follows a later version can be compared with the recording.
 */
export function isLaterField(
  key: string,
  value: unknown,
  parent: Readonly<Record<string, unknown>>,
): boolean {
  switch (key) {
    case 'kubernetes.io/metadata.name': // label of namespaces, 1.21
    case 'f:kubernetes.io/metadata.name':
      return true;
    case 'labels': // of a namespace, where there is none but that
      return isRecord(value) && Object.keys(value).join() === 'kubernetes.io/metadata.name';
    case 'ipFamilies': // Service, 1.20 with a feature gate, 1.23
    case 'ipFamilyPolicy':
    case 'internalTrafficPolicy': // Service, 1.22
    case 'persistentVolumeClaimRetentionPolicy': // StatefulSet, 1.27
    case 'completionMode': // Job, 1.22
    case 'podReplacementPolicy': // Job, 1.29
      return true;
    case 'manualSelector': // Job, false since 1.27
      return value === false;
    case 'suspend': // Job, 1.22; a CronJob has had it from the start
      return value === false && 'backoffLimit' in parent;
    case 'creationTimestamp': // null in templates and in answers that store nothing; omitted since 1.34
      return value === null;
    case 'subresource': // managed fields, 1.22
      return 'fieldsV1' in parent;
    default:
      return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
