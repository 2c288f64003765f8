/** The kinds that are questions: created, answered, never stored. */
import { badRequest, invalid } from '../http/status.ts';
import type { User } from '../http/user.ts';
import { type ApiObject, asJson, asString, asStrings, isJson, type Json } from '../object.ts';
import { invalidField, literal, structure } from '../validation/field.ts';
import type { Attributes, Decision } from './attributes.ts';
import type { Rule } from './rule.ts';
import type { VerifiedToken } from './service-account-token.ts';

/** What the reviews ask. */
export interface ReviewServices {
  authorize(user: User, attributes: Attributes): Decision;
  rulesFor(user: User, namespace: string): readonly Rule[];
  verifyToken(token: string): VerifiedToken | undefined;
  readonly defaultAudiences: readonly string[];
}

/** Answers a review: gives the object with its status. Throws Invalid and BadRequest. */
export type Review = (
  object: ApiObject,
  user: User,
  namespace: string,
  services: ReviewServices,
) => ApiObject;

/** Reviews by `group/plural`. */
export const REVIEWS: Readonly<Record<string, Review>> = {
  'authorization.k8s.io/selfsubjectaccessreviews': (object, user, _namespace, services) =>
    answer(object, services.authorize(user, attributesOf(object))),
  'authorization.k8s.io/subjectaccessreviews': (object, _user, _namespace, services) =>
    answer(object, services.authorize(subjectOf(object), attributesOf(object))),
  'authorization.k8s.io/localsubjectaccessreviews': (object, _user, namespace, services) => {
    const attributes = attributesOf(object);
    if (attributes.namespace !== namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    }
    return answer(object, services.authorize(subjectOf(object), attributes));
  },
  'authorization.k8s.io/selfsubjectrulesreviews': (object, user, _namespace, services) => {
    const namespace = asString(asJson(object.spec).namespace);
    if (namespace === '') throw badRequest('no namespace on request');
    const rules = services.rulesFor(user, namespace);
    return {
      ...object,
      spec: {},
      status: {
        incomplete: false,
        nonResourceRules: rules
          .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
          .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
        resourceRules: rules
          .filter(({ resources }) => resources.length > 0)
          .map(({ verbs, apiGroups, resources, resourceNames }) => ({
            verbs,
            apiGroups,
            resources,
            ...(resourceNames.length === 0 ? {} : { resourceNames }),
          })),
      },
    };
  },
  'authentication.k8s.io/selfsubjectreviews': (object, user) => ({
    ...object,
    status: { userInfo: userInfo(user) },
  }),
  'authentication.k8s.io/tokenreviews': (object, _user, _namespace, services) => {
    const spec = asJson(object.spec);
    const token = asString(spec.token);
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const verified = services.verifyToken(token);
    const wanted = asStrings(spec.audiences);
    const audiences = (wanted.length === 0 ? services.defaultAudiences : wanted).filter((audience) =>
      verified?.audiences.includes(audience),
    );
    if (verified === undefined || audiences.length === 0) {
      return { ...object, status: { user: {}, error: 'invalid bearer token' } };
    }
    return { ...object, status: { authenticated: true, user: userInfo(verified.user), audiences } };
  },
};

function userInfo({ name, uid, groups, extra }: User): Json {
  return {
    username: name,
    uid,
    groups: [...groups],
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function answer(object: ApiObject, decision: Decision): ApiObject {
  return {
    ...object,
    status: { allowed: decision.allowed, ...(decision.reason === '' ? {} : { reason: decision.reason }) },
  };
}

function attributesOf(object: ApiObject): Attributes {
  const spec = asJson(object.spec);
  const resource = spec.resourceAttributes;
  const path = spec.nonResourceAttributes;
  if (isJson(resource) === isJson(path)) {
    const detail = isJson(path)
      ? 'cannot be specified in combination with resourceAttributes'
      : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    const { path: url, verb } = asJson(path);
    const error = isJson(path)
      ? invalidField(
          'spec.nonResourceAttributes',
          structure({ Path: asString(url), Verb: asString(verb) }),
          detail,
        )
      : invalidField('spec.resourceAttributes', literal('null'), detail);
    throw invalid('authorization.k8s.io', '', '', [error]);
  }
  const none = { group: '', plural: '', subresource: '', namespace: '', name: '', path: '' };
  if (isJson(path)) {
    return { ...none, isResource: false, verb: asString(path.verb), path: asString(path.path) };
  }
  const given = asJson(resource);
  return {
    ...none,
    isResource: true,
    verb: asString(given.verb),
    group: asString(given.group),
    plural: asString(given.resource),
    subresource: asString(given.subresource),
    namespace: asString(given.namespace),
    name: asString(given.name),
  };
}

function subjectOf(object: ApiObject): User {
  const spec = asJson(object.spec);
  const name = asString(spec.user);
  const groups = asStrings(spec.groups);
  if (name === '' && groups.length === 0) {
    throw invalid('authorization.k8s.io', '', '', [
      invalidField('spec.user', '', 'at least one of user or group must be specified'),
    ]);
  }
  return { name, groups };
}
