import { apiVersionOf, CUSTOM_RESOURCE_DEFINITIONS, type Resource } from '../kinds/resources.ts';
import type { StructuralSchema } from './schema.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly jsonPath: string;
  readonly description?: string;
  /** Above 0 only wide output has the column. */
  readonly priority?: number;
}

/** A CustomResourceDefinition (apiextensions.k8s.io/v1) as far as ours go. */
export interface CustomResourceDefinition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly additionalPrinterColumns?: readonly PrinterColumn[];
      /** With `status`, spec and status are written by requests of their own. */
      readonly subresources?: { readonly status?: Readonly<Record<string, never>> };
      readonly schema: { readonly openAPIV3Schema: StructuralSchema };
    }[];
  };
}

/** What a definition may have beyond its resource, schema and columns. */
interface DefinitionExtras {
  readonly shortNames?: readonly string[];
  /** @default false */
  readonly hasStatusSubresource?: boolean;
}

/**
 * The definition of a kind with one version. Unless said otherwise status is not a subresource: clients write spec and status in one
 * update.
 */
export function customResourceDefinition(
  resource: Resource,
  schema: StructuralSchema,
  columns: readonly PrinterColumn[],
  { shortNames = [], hasStatusSubresource = false }: DefinitionExtras = {},
): CustomResourceDefinition {
  const { group, version, plural, kind, namespaced } = resource;
  return {
    apiVersion: apiVersionOf(CUSTOM_RESOURCE_DEFINITIONS),
    kind: CUSTOM_RESOURCE_DEFINITIONS.kind,
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length === 0 ? {} : { shortNames }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: schema },
          ...(hasStatusSubresource ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  };
}
