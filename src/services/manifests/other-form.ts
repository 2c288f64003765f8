import { basename, dirname } from 'node:path';

/** Files of tools that make manifests, each with what makes them. */
const MADE_BY: Readonly<Record<string, (folder: string) => string>> = {
  'Chart.yaml': (folder) => `${folder} is a Helm chart; render it: helm template ${folder} > k8s/app.yaml`,
  'kustomization.yaml': (folder) =>
    `${folder} is for kustomize; render it: kubectl kustomize ${folder} > k8s/app.yaml`,
};

/** Names of a file that is no manifest, beside the usual one. */
const SAME_AS: Readonly<Record<string, string>> = {
  'kustomization.yml': 'kustomization.yaml',
  Kustomization: 'kustomization.yaml',
};

/** What a file is that another tool makes manifests of, and how, by its name; undefined for other names. Pure. */
export function madeBy(file: string): string | undefined {
  const name = basename(file);
  return MADE_BY[SAME_AS[name] ?? name]?.(dirname(file));
}

/** What a document is that is no Kubernetes object, and what to do; undefined where that is not known. Pure. */
export function otherForm(file: string, value: Readonly<Record<string, unknown>>): string | undefined {
  const { services, apiVersion } = value;
  if (apiVersion === undefined && typeof services === 'object' && services !== null)
    return `${file} is a compose file; make manifests of it: kompose convert -f ${file} -o k8s/`;
  if (/^turnsole\.ya?ml$/.test(basename(file)))
    return `${file} has settings, which are read by themselves where it lies; name the manifests alone`;
  return madeBy(file);
}
