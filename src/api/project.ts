import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import generated from './generated/project.json' with { type: 'json' };

export type { ProjectFile } from './schema/project.ts';

/** The schema of `turnsole.yaml`. */
export const PROJECT_SCHEMA: StructuralSchema = generated;
