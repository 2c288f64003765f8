import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import type { ChaosEngine, ChaosExperiment } from '../../src/api/index.ts';

/** Upstream's charts lie beside the checkout, not in it; TURNSOLE_CHARTS names another folder. */
const CHARTS =
  process.env.TURNSOLE_CHARTS ?? fileURLToPath(new URL('../../../shared/charts/kubernetes', import.meta.url));

/** Why tests of upstream's charts cannot run here, or false when they can. */
export const chartsMissing: string | false = existsSync(CHARTS)
  ? false
  : `no charts in ${CHARTS}; set TURNSOLE_CHARTS to the folder of upstream's kubernetes charts`;

/** All charts, by name. */
export async function chartNames(): Promise<string[]> {
  const entries = await readdir(CHARTS, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(join(CHARTS, entry.name, 'engine.yaml')))
    .map(({ name }) => name)
    .sort();
}

/** The files of a chart as they are, and the RBAC that grants what its ChaosExperiment asks for. */
export async function chartManifests(name: string): Promise<{ fault: string; engine: string; rbac: string }> {
  const fault = await readFile(join(CHARTS, name, 'fault.yaml'), 'utf8');
  const engine = await readFile(join(CHARTS, name, 'engine.yaml'), 'utf8');
  return { fault, engine, rbac: chartRbac(parse(fault) as ChaosExperiment, parse(engine) as ChaosEngine) };
}

function chartRbac(experiment: ChaosExperiment, engine: ChaosEngine): string {
  const account = engine.spec.chaosServiceAccount ?? 'default';
  const namespace = engine.metadata.namespace ?? 'default';
  const isCluster = experiment.spec?.definition?.scope === 'Cluster';
  const rbac = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: isCluster ? 'ClusterRole' : 'Role',
    name: account,
  };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: account, ...(isCluster ? {} : { namespace }) };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } },
    { apiVersion, kind: rbac.kind, metadata, rules: experiment.spec?.definition?.permissions ?? [] },
    {
      apiVersion,
      kind: `${rbac.kind}Binding`,
      metadata,
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      roleRef: rbac,
    },
  ]
    .map((object) => stringify(object))
    .join('---\n');
}
