import { APP_KINDS } from '../../api/index.ts';
import type { Target, TargetSelector } from './types.ts';

/** The kinds that a target can have. */
const KINDS: readonly string[] = [...APP_KINDS, 'pod'];

/** What is expected of a target, where it is none; undefined for one that is right. Pure. */
export function targetProblem(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'at least one target';
    return value.map(targetProblem).find((problem) => problem !== undefined);
  }
  if (typeof value === 'string') {
    const [kind = '', name = '', ...more] = value.split('/');
    return KINDS.includes(kind) && isName(name) && more.length === 0 ? undefined : EXPECTED;
  }
  if (typeof value !== 'object' || value === null) return EXPECTED;
  const { kind, labels, name, namespace, ...others } = value as Readonly<Record<string, unknown>>;
  const isKnown = Object.keys(others).length === 0 && KINDS.includes(String(kind));
  if (!isKnown || !(namespace === undefined || isName(namespace))) return EXPECTED;
  if ((labels === undefined) === (name === undefined)) return `${EXPECTED}; with either labels or name`;
  if (labels !== undefined)
    return kind === 'pod' || typeof labels !== 'string' || labels.trim() === ''
      ? `${EXPECTED}; labels are those of workloads, as a selector such as 'app=web'`
      : undefined;
  const names: readonly unknown[] = Array.isArray(name) ? name : [name];
  return names.length > 0 && names.every(isName) ? undefined : EXPECTED;
}

const EXPECTED =
  "'KIND/NAME' such as 'deployment/web', or { kind, labels } or { kind, name }, " +
  `where the kind is one of ${KINDS.join(', ')}`;

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/.test(value);
}

/** The targets as selectors. Pure. */
export function selectorsOf(target: Target | readonly Target[]): readonly TargetSelector[] {
  const targets = (Array.isArray(target) ? target : [target]) as readonly Target[];
  return targets.map((one) => {
    if (typeof one !== 'string') return one;
    const [kind = '', name = ''] = one.split('/');
    // Its kind was checked when the builder got it.
    return { kind, name } as TargetSelector;
  });
}

/** Targets as `spec.selectors` of an engine has them. Pure. */
export function engineSelectors(selectors: readonly TargetSelector[], fallback: string): object {
  const placed = selectors.map((one) => ({ ...one, namespace: one.namespace ?? fallback }));
  const pods = placed.flatMap((one) =>
    one.kind === 'pod' && 'name' in one ? [{ namespace: one.namespace, names: namesText(one.name) }] : [],
  );
  const workloads = placed.flatMap((one): object[] => {
    if (one.kind === 'pod') return [];
    const { kind, namespace } = one;
    return 'labels' in one && one.labels !== undefined
      ? [{ kind, namespace, labels: one.labels }]
      : [{ kind, namespace, names: namesText('name' in one ? one.name : '') }];
  });
  return { ...(workloads.length > 0 && { workloads }), ...(pods.length > 0 && { pods }) };
}

function namesText(name: string | readonly string[]): string {
  return typeof name === 'string' ? name : name.join(',');
}
