import type { RequestInfo } from '../http/request-info.ts';
import { forbidden, forbiddenPath, type GroupResource, type StatusError } from '../http/status.ts';
import type { User } from '../http/user.ts';

/** What a user wants to do, as authorization judges it. */
export type Attributes = Omit<RequestInfo, 'version' | 'isMalformed' | 'rest'>;

export interface Decision {
  readonly allowed: boolean;
  /** Why, as far as it is known. */
  readonly reason: string;
}

export function attributesOf(info: RequestInfo): Attributes {
  const { verb, isResource, group, plural, subresource, namespace, name, path } = info;
  return { verb, isResource, group, plural, subresource, namespace, name, path };
}

/** What doing something to an object comes to. @param namespace '' for cluster-scoped ones */
export function attributesFor(
  verb: string,
  resource: GroupResource,
  namespace: string,
  name: string,
): Attributes {
  const { group, plural } = resource;
  return { verb, isResource: true, group, plural, subresource: '', namespace, name, path: '' };
}

/** `pods/log`, as messages and rules name it. */
export function resourceText({ plural, subresource }: Pick<Attributes, 'plural' | 'subresource'>): string {
  return subresource === '' ? plural : `${plural}/${subresource}`;
}

/** The refusal in the real server's words. */
export function refusal(user: User, attributes: Attributes, reason: string): StatusError {
  const { verb, group, namespace, isResource, path, plural, name } = attributes;
  const why = reason === '' ? '' : `: ${reason}`;
  if (!isResource)
    return forbiddenPath(
      `User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}${why}`,
    );
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(resourceText(attributes))} in API group ${JSON.stringify(group)} ${where}${why}`;
  return forbidden({ group, plural }, name, what);
}
