import { timeText, userDetails } from '../access/lists.ts';
import type { ImageRegistryInput, ImageRegistryResponse } from '../schema/generated/types.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { RegistryRow } from '../store/tables/hubs.ts';
import type { Reader } from '../store/transaction.ts';

/** The default of a project: the public images of LitmusChaos. */
const DEFAULT = {
  is_default: 1,
  registry: 'docker.io',
  repository: 'litmuschaos',
  type: 'public',
  secret_name: '',
  secret_namespace: '',
  enabled: 1,
} as const;

/** The image registry of a project: its own, or the default, whose id is that of the project. */
export async function registryOf(db: Reader, project: string): Promise<RegistryRow> {
  const row = await db
    .selectFrom('registries')
    .selectAll()
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row ?? { ...DEFAULT, ...madeBy('', 0), project_id: project, id: project };
}

/** Whether a row is stored, rather than the default. Pure. */
export function isStored({ id, project_id }: Pick<RegistryRow, 'id' | 'project_id'>): boolean {
  return id !== project_id;
}

/** The columns that a client sets. Pure. */
export function columnsOf(
  input: ImageRegistryInput,
): Pick<
  RegistryRow,
  'is_default' | 'registry' | 'repository' | 'type' | 'secret_name' | 'secret_namespace' | 'enabled'
> {
  return {
    is_default: input.isDefault ? 1 : 0,
    registry: input.imageRegistryName,
    repository: input.imageRepoName,
    type: input.imageRegistryType,
    secret_name: input.secretName ?? '',
    secret_namespace: input.secretNamespace ?? '',
    enabled: input.enableRegistry === false ? 0 : 1,
  };
}

/** An image registry as clients see it. Pure. */
export function asRegistry(row: RegistryRow): ImageRegistryResponse {
  const person = (name: string) => (name === '' ? null : userDetails(name));
  return {
    imageRegistryID: row.id,
    projectID: row.project_id,
    isDefault: row.is_default === 1,
    imageRegistryInfo: {
      isDefault: row.is_default === 1,
      imageRegistryName: row.registry,
      imageRepoName: row.repository,
      imageRegistryType: row.type,
      secretName: row.secret_name,
      secretNamespace: row.secret_namespace,
      enableRegistry: row.enabled === 1,
    },
    createdAt: timeText(row.created_at),
    updatedAt: timeText(row.updated_at),
    createdBy: person(row.created_by),
    updatedBy: person(row.updated_by),
    isRemoved: false,
  };
}
