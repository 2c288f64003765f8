import type { Store } from '../store.ts';
import { compareVersions } from '../table.ts';
import type { Version } from '../types.ts';

/**
 * Walks everything and names each broken invariant; an empty list means that the store is sound. Tests call it after
 * every step, so it knows nothing of how the parts are made, only what must hold between them.
 */
export function checkStore(store: Store): string[] {
  const problems: string[] = [];
  const revisions = new Set<number>();
  for (const table of store.tables()) {
    const { versions } = store.list(table);
    checkVersions(table, store, versions, problems);
    checkHistory(table, store, revisions, problems);
  }
  return problems;
}

function checkVersions(table: string, store: Store, versions: readonly Version[], problems: string[]): void {
  if (versions.length !== store.count(table)) {
    problems.push(`${table}: counts ${store.count(table)} objects and lists ${versions.length}`);
  }
  for (const [index, version] of versions.entries()) {
    const where = `${table} ${version.key}`;
    const next = versions[index + 1];
    if (next !== undefined && compareVersions(version, next) >= 0) {
      problems.push(`${where}: listed before ${next.key}`);
    }
    if (store.get(table, version.namespace, version.name) !== version) {
      problems.push(`${where}: listed, but get gives another version`);
    }
    if (version.object.metadata.resourceVersion !== String(version.revision)) {
      problems.push(`${where}: says ${version.object.metadata.resourceVersion}, is at ${version.revision}`);
    }
    if (version.revision > store.revision) problems.push(`${where}: is of the future`);
  }
}

function checkHistory(table: string, store: Store, revisions: Set<number>, problems: string[]): void {
  const history = store.history(table);
  let before = history.compacted;
  const size = history.changes.reduce((sum, { version }) => sum + version.size, 0);
  if (size !== history.size)
    problems.push(`${table}: history of ${size} characters, counted ${history.size}`);
  const last = new Map<string, Version | undefined>();
  for (const change of history.changes) {
    const where = `${table} change ${change.revision}`;
    if (change.revision <= before) problems.push(`${where}: follows ${before}`);
    if (revisions.has(change.revision)) problems.push(`${where}: revision used twice`);
    revisions.add(change.revision);
    before = change.revision;
    const { key } = change.version;
    if (last.has(key) && last.get(key) !== change.previous) {
      problems.push(`${where}: previous version of ${key} is not the one before it`);
    }
    last.set(key, change.type === 'DELETED' ? undefined : change.version);
  }
  for (const [key, version] of last) {
    const [namespace, name] = key.includes('/') ? key.split('/') : ['', key];
    if (store.get(table, namespace ?? '', name ?? '') !== version) {
      problems.push(`${table} ${key}: present version is not that of the last change`);
    }
  }
}
