/** The webhooks that the stored configurations name, compiled once per version of a configuration. */
import type { LabelSelector } from '@turnsole/kube/kinds/core';
import { compileLabelSelector, type ParsedLabelSelector } from '@turnsole/kube/text/label-selector';
import type { Store, Version } from '../../../store/index.ts';
import type { MatchCondition } from '../../cel/match-conditions.ts';
import { asJson, asNumber, asObjects, asString, asStrings, isJson, type Json } from '../../object.ts';
import type { Phase } from '../../registry/pending-write.ts';
import { objectOf } from '../../stored-object.ts';

const GROUP = 'admissionregistration.k8s.io';
const TABLES: Readonly<Record<Phase, string>> = {
  mutating: `mutatingwebhookconfigurations.${GROUP}`,
  validating: `validatingwebhookconfigurations.${GROUP}`,
};

/** Requests that are meant. `*` stands for any. */
export interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/status`, `pods/*`, `*`, `*` + `/scale`, `*` + `/*`. */
  readonly resources: readonly string[];
  readonly scope: string;
  /** Of the objects; empty for all. Only policies have them. */
  readonly names: readonly string[];
}

/** The writes that a webhook or an admission policy is about. */
export interface Selection {
  readonly rules: readonly Rule[];
  /** Whether only the named group and version count, not others that serve the same objects. */
  readonly isExact: boolean;
  readonly namespaces: ParsedLabelSelector;
  readonly objects: ParsedLabelSelector;
}

/** Where a webhook answers. */
type WebhookAddress =
  | { readonly url: string }
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        readonly path: string;
        readonly port: number;
      };
    };

export interface Webhook extends Selection {
  readonly name: string;
  readonly mayFail: boolean;
  readonly conditions: readonly MatchCondition[];
  readonly timeoutMs: number;
  /** Whether it wants to be asked again when a later one changed the object. */
  readonly isReinvoked: boolean;
  /** `v1` or `v1beta1`: the form of the review it understands. */
  readonly reviewVersion: string;
  readonly address: WebhookAddress;
  /** PEM; undefined = the authorities that Node trusts. */
  readonly authority: string | undefined;
}

/** Webhooks of a phase in the order of the requests: configurations by name, then as listed. */
export function configuredWebhooks(store: Store, phase: Phase): readonly Webhook[] {
  const table = TABLES[phase];
  if (store.count(table) === 0) return [];
  const versions = [...store.values(table)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return versions.flatMap(compiled);
}

const COMPILED = new WeakMap<object, readonly Webhook[]>();

function compiled(version: Version): readonly Webhook[] {
  const object = objectOf(version);
  const known = COMPILED.get(object);
  if (known !== undefined) return known;
  const webhooks = asObjects(object.webhooks).map(compile);
  COMPILED.set(object, webhooks);
  return webhooks;
}

function compile(webhook: Json): Webhook {
  const client = asJson(webhook.clientConfig);
  const bundle = asString(client.caBundle);
  return {
    name: asString(webhook.name),
    ...selectionOf(webhook, webhook.rules),
    mayFail: webhook.failurePolicy === 'Ignore',
    conditions: conditionsOf(webhook.matchConditions),
    timeoutMs: asNumber(webhook.timeoutSeconds) * 1000,
    isReinvoked: webhook.reinvocationPolicy === 'IfNeeded',
    reviewVersion:
      asStrings(webhook.admissionReviewVersions).find((text) => /^v1(beta1)?$/.test(text)) ?? 'v1',
    address: addressOf(client),
    authority: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString(),
  };
}

/** @param of a webhook, or the `matchConstraints` of a policy, and its rules */
export function selectionOf(of: Json, rules: unknown): Selection {
  return {
    rules: rulesOf(rules),
    isExact: of.matchPolicy === 'Exact',
    namespaces: selectorOf(of.namespaceSelector),
    objects: selectorOf(of.objectSelector),
  };
}

export function rulesOf(rules: unknown): Rule[] {
  return asObjects(rules).map((rule) => ({
    operations: asStrings(rule.operations),
    groups: asStrings(rule.apiGroups),
    versions: asStrings(rule.apiVersions),
    resources: asStrings(rule.resources),
    scope: asString(rule.scope),
    names: asStrings(rule.resourceNames),
  }));
}

export function conditionsOf(conditions: unknown): MatchCondition[] {
  return asObjects(conditions).map(({ name, expression }) => ({
    name: asString(name),
    expression: asString(expression),
  }));
}

function addressOf(client: Json): WebhookAddress {
  if (!isJson(client.service)) return { url: asString(client.url) };
  const { namespace, name, path, port } = client.service;
  return {
    service: {
      namespace: asString(namespace),
      name: asString(name),
      path: asString(path) === '' ? '/' : asString(path),
      port: asNumber(port),
    },
  };
}

/** Decoded with the type of a LabelSelector; absent selects everything here. */
function selectorOf(value: unknown): ParsedLabelSelector {
  return isJson(value) ? (compileLabelSelector(value as LabelSelector) ?? []) : [];
}
