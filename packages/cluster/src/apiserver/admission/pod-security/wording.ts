import { asString, type Json } from '../../object.ts';

/** What a pod breaks: the rule, and where. */
export interface Violation {
  /** `allowPrivilegeEscalation != false`. */
  readonly rule: string;
  /** `container "main" must set securityContext.allowPrivilegeEscalation=false`. */
  readonly detail: string;
}

/** `"a", "b"`. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** `container "a"`, `containers "a", "b"`. */
export function containersText(containers: readonly Json[]): string {
  return `${containers.length === 1 ? 'container' : 'containers'} ${quoted(containers.map(({ name }) => asString(name)))}`;
}

/** A violation of the containers that a condition holds for; none where it holds for no one. Pure. */
export function ofContainers(
  containers: readonly Json[],
  breaks: (container: Json) => boolean,
  rule: string,
  detail: (who: string) => string,
): Violation[] {
  const bad = containers.filter(breaks);
  return bad.length === 0 ? [] : [{ rule, detail: detail(containersText(bad)) }];
}
