/** How the server knows a kind: names, versions, rules. One file per group of kinds declares them. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import type { User } from '../http/user.ts';
import type { ApiObject, Json } from '../object.ts';
import type { Column } from '../tables/column.ts';
import type { NameCheck } from '../validation/names.ts';

/** One version a kind is served in. */
export interface ServedVersion {
  readonly name: string;
  /** Type name of the generated schema, `core.v1.Pod`; absent for custom resources. */
  readonly type?: string | undefined;
  /** Custom resources: the schema, for OpenAPI. */
  readonly schema?: StructuralSchema;
  /** Custom resources: whether this version has the status subresource. */
  readonly hasStatus?: boolean;
  /** Set for deprecated versions: the warning to send, or '' for the usual one. */
  readonly deprecation?: string;
  /** Stored form to this version's; absent where only `apiVersion` differs. Must not change its input. */
  readonly fromStored?: (object: ApiObject) => ApiObject;
  /** This version's form to the stored one. May change and return its input. */
  readonly toStored?: (object: ApiObject) => ApiObject;
  /** Custom resources: drops what the schema does not know and fills in its defaults. */
  readonly decode?: (object: ApiObject) => {
    readonly object: ApiObject;
    readonly unknown: readonly string[];
  };
  /** Custom resources: problems with the schema. */
  readonly validate?: (object: ApiObject, old: ApiObject | undefined) => FieldError[];
  /** Custom resources: whether the schema has rules, which `loadCel` has to be awaited for. */
  readonly hasRules?: boolean;
  /** Absent: the kind's columns. */
  readonly columns?: readonly Column[];
}

/** What a rule may know of its request. */
export interface RuleContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The user who makes the request, for rules that depend on it. */
  readonly user: User;
}

/** The rules of a kind; all of them may change the object they get (never `old`). Everything is optional. */
export interface Rules {
  /** Fills in defaults; runs on create and on update, before `prepare…`. */
  readonly applyDefaults?: (object: ApiObject) => void;
  readonly prepareCreate?: (object: ApiObject, context: RuleContext) => void;
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, context: RuleContext) => void;
  /** For writes to the status subresource; runs after everything but status was taken from `old`. */
  readonly prepareStatusUpdate?: (object: ApiObject, old: ApiObject, context: RuleContext) => void;
  readonly validate?: (object: ApiObject) => FieldError[];
  /** Checks of new objects only. */
  readonly validateCreate?: (object: ApiObject) => FieldError[];
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => FieldError[];
  readonly validateStatusUpdate?: (object: ApiObject, old: ApiObject) => FieldError[];
  /** For an object whose deletion begins and that something holds. `object` may be changed, not what it shares. */
  readonly prepareDeletion?: (object: ApiObject, old: ApiObject, now: number) => void;
  /**
   * Seconds of grace of a deletion; absent or 0: the object is deleted at once. `asked` is the caller's wish.
   */
  readonly gracePeriodSeconds?: (object: ApiObject, asked: number | undefined) => number;
}

/** How one part of an object is written by a path of its own. */
export interface PartRules {
  /** Takes everything but the part from `old`. */
  readonly restrict: (object: ApiObject, old: ApiObject, context: RuleContext) => void;
  readonly validateUpdate: (object: ApiObject, old: ApiObject) => FieldError[];
  /** Whether who writes the part owns also what he sends and the part does not take: so a real server has it for some. */
  readonly ownsWhatIsSent?: boolean;
}

/** How a kind is scaled. Paths are fields from the object's root. */
export interface ScaleRule {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A field with a selector as text; absent: `spec.selector` as a LabelSelector or a map. */
  readonly selectorText?: readonly string[];
}

export interface KindDefinition {
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Preferred version first. */
  readonly versions: readonly ServedVersion[];
  readonly storedVersion: string;
  /** Name of its table in the store; the same for kinds that are views of the same objects. */
  readonly table: string;
  /** apiVersion of the stored form; differs from group and version only for views of other kinds. */
  readonly storedApiVersion: string;
  readonly checkName: NameCheck;
  readonly rules: Rules;
  /** Whether metadata.generation counts changes of the specification. */
  readonly hasGeneration: boolean;
  /** Whether changes of annotations count too: deployments. */
  readonly generationCountsAnnotations?: boolean;
  /** Whether a write to `status` may change annotations: deployments, whose controller notes the revision this way. */
  readonly statusTakesAnnotations?: boolean;
  /** Whether the generation stays what it was at creation. */
  readonly keepsGeneration?: boolean;
  /** Whether status is written by the status subresource only. */
  readonly hasStatus: boolean;
  /** Whether the status that a creator sends is kept: nodes, which describe themselves. */
  readonly keepsStatusOnCreate?: boolean;
  /** Whether an update may come without a resource version. Not for custom resources. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether PUT of a missing object creates it. */
  readonly createsOnUpdate: boolean;
  /** Whether DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** The default propagation of a deletion: true makes dependents orphans. */
  readonly orphansByDefault?: boolean;
  readonly scale?: ScaleRule;
  readonly columns: readonly Column[];
  /** The order of a Table's rows. @default that of lists */
  readonly rowOrder?: (one: ApiObject, other: ApiObject) => number;
  /** Conditions of an object's row in a Table. */
  readonly rowConditions?: (object: ApiObject) => Json[] | undefined;
  /** Added when a deletion begins, for what has to go first. */
  readonly deletionFinalizers?: readonly string[];
  /** Values of the fields that selectors may use, besides metadata.name and metadata.namespace. */
  readonly fields: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Verbs of discovery. @default all of them */
  readonly verbs?: readonly string[];
  /** Parts of the object that have a path of their own, beside `status`: read as a whole, written in part. */
  readonly parts?: Readonly<Record<string, PartRules>>;
  /** Further subresources for discovery: `log`, `exec`… */
  readonly subresources?: readonly SubresourceInfo[];
}

interface SubresourceInfo {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Verbs of a proxy subresource, which takes every method. */
export const PROXY_VERBS: readonly string[] = ['create', 'delete', 'get', 'patch', 'update'];

export const ALL_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
