/** Validation of a pod's volumes, and of where its containers have them. Source: core/v1 API reference. */

import { asObjects, asString, isJson, type Json, valueAt } from '../object.ts';
import { type FieldErrors, missingField } from './field.ts';
import { checkLabelName } from './names.ts';

/** The volumes of a pod by name: whether a container can also have them as a device, or only mount them. */
export type KnownVolumes = ReadonlyMap<string, 'device' | 'files'>;

/** Problems of a pod's volumes; gives those that containers can refer to. */
export function validateVolumes(
  volumes: readonly Json[],
  path: string,
  errors: FieldErrors,
): Map<string, 'device' | 'files'> {
  const names = new Map<string, 'device' | 'files'>();
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`;
    const before = errors.length;
    const name = asString(volume.name);
    const sources = Object.keys(volume).filter((key) => key !== 'name' && isJson(volume[key]));
    if (sources.length === 0) errors.required(at, 'must specify a volume type');
    for (const extra of sources.slice(1)) {
      errors.forbidden(`${at}.${extra}`, 'may not specify more than 1 volume type');
    }
    validateSource(volume, at, errors);
    errors.requiredName(`${at}.name`, name, checkLabelName);
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    // A volume with problems does not count as one that is there.
    if (errors.length > before) continue;
    names.set(name, isJson(volume.persistentVolumeClaim) || isJson(volume.ephemeral) ? 'device' : 'files');
  }
  return names;
}

function validateSource(volume: Json, at: string, errors: FieldErrors): void {
  const need = (source: string, field: string): void => {
    const found = volume[source];
    if (isJson(found) && asString(found[field]) === '') errors.required(`${at}.${source}.${field}`);
  };
  need('hostPath', 'path');
  need('secret', 'secretName');
  need('configMap', 'name');
  need('persistentVolumeClaim', 'claimName');
  need('image', 'reference');
  if (isJson(volume.image)) {
    errors.oneOf(`${at}.image.pullPolicy`, volume.image.pullPolicy, ['Always', 'IfNotPresent', 'Never']);
  }
  const hostPath = asString(valueAt(volume, 'hostPath', 'path'));
  if (hostPath.split('/').includes('..')) {
    errors.invalid(`${at}.hostPath.path`, hostPath, "must not contain '..'");
  }
}

/** Problems of a container's mounts and block devices. */
export function validateMounts(
  container: Json,
  path: string,
  volumes: KnownVolumes,
  errors: FieldErrors,
): void {
  const mounts = asObjects(container.volumeMounts);
  const devices = asObjects(container.volumeDevices);
  const mounted = new Set(mounts.map(({ mountPath }) => asString(mountPath)));
  const mountedNames = new Set(mounts.map(({ name }) => asString(name)));
  checkMounts(mounts, `${path}.volumeMounts`, volumes, errors);
  const paths = new Set<string>();
  for (const [index, device] of devices.entries()) {
    const at = `${path}.volumeDevices[${index}]`;
    const name = asString(device.name);
    const devicePath = asString(device.devicePath);
    if (name === '') errors.required(`${at}.name`);
    const kind = volumes.get(name);
    if (kind === undefined) errors.push(missingField(`${at}.name`, name));
    else if (kind === 'files') {
      const words = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.invalid(`${at}.name`, name, words);
    }
    if (mountedNames.has(name)) errors.invalid(`${at}.name`, name, 'must not already exist in volumeMounts');
    if (devicePath === '') errors.required(`${at}.devicePath`);
    else if (devicePath.split('/').includes('..')) {
      errors.invalid(`${at}.devicePath`, devicePath, "must not contain '..'");
    }
    if (paths.has(devicePath)) errors.invalid(`${at}.devicePath`, devicePath, 'must be unique');
    if (mounted.has(devicePath)) {
      errors.invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts');
    }
    paths.add(devicePath);
  }
}

function checkMounts(
  mounts: readonly Json[],
  path: string,
  volumes: KnownVolumes,
  errors: FieldErrors,
): void {
  const paths = new Set<string>();
  for (const [index, mount] of mounts.entries()) {
    const at = `${path}[${index}]`;
    const name = asString(mount.name);
    if (name === '') errors.required(`${at}.name`);
    const mountPath = asString(mount.mountPath);
    if (!volumes.has(name)) errors.push(missingField(`${at}.name`, name));
    if (mountPath === '') errors.required(`${at}.mountPath`);
    if (paths.has(mountPath)) errors.invalid(`${at}.mountPath`, mountPath, 'must be unique');
    paths.add(mountPath);
    for (const field of ['subPath', 'subPathExpr']) {
      const sub = asString(mount[field]);
      // Kubernetes names these without the mount's number.
      if (sub.startsWith('/')) errors.invalid(`${path}.${field}`, sub, 'must be a relative path');
      if (sub.split('/').includes('..')) errors.invalid(`${path}.${field}`, sub, "must not contain '..'");
    }
    if (asString(mount.subPath) !== '' && asString(mount.subPathExpr) !== '') {
      errors.invalid(
        `${at}.subPathExpr`,
        mount.subPathExpr,
        'subPathExpr and subPath are mutually exclusive',
      );
    }
  }
}
