import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import type { ControlPlane } from '../access/context.ts';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';
import { type AppOptions, buildApp } from '../http/app.ts';
import { wireSchema } from '../http/graphql/wire.ts';
import { addPageRoutes } from '../page/page-routes.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { allNouns, type PersonalParts } from './nouns.ts';

/** The whole server on a control plane; it does not listen yet. @throws Error if an operation lacks a row or a handler */
export async function buildServer(
  plane: ControlPlane,
  { cluster, link, terminal, ...options }: Pick<AppOptions, 'tls' | 'observe'> & PersonalParts = {},
): Promise<FastifyInstance> {
  const nouns = allNouns({
    ...(cluster !== undefined && { cluster }),
    ...(link !== undefined && { link }),
    ...(terminal !== undefined && { terminal }),
  });
  const schema = wireSchema(controlPlaneSchema(), nouns, GRAPHQL_OPERATIONS);
  const app = await buildApp({
    plane,
    schema,
    nouns,
    restOperations: REST_OPERATIONS,
    ...options,
  });
  addPageRoutes(app, plane.settings.pageFolder ?? join(PACKAGE_ROOT, 'dist', 'web'), cluster !== undefined);
  return app;
}
