/** What is hit: appinfo, selectors, auxiliaryAppInfo. */

import { type FieldError, invalid, required } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { validateLabelSelectorText } from '@turnsole/kube/schema/selector-text';
import { subdomainProblems } from '@turnsole/kube/text/names';
import { splitList } from '@turnsole/kube/text/split-list';
import type { AppInfo, Selectors } from '../schema/engine.ts';

type Path = readonly PathSegment[];

function blank(text: string | null | undefined): boolean {
  return text === undefined || text === null || text.trim() === '';
}

function nameErrors(name: string, path: Path): FieldError[] {
  return subdomainProblems(name).map((problem) => invalid(path, name, problem));
}

/** Names separated by commas; blanks around them do not count. */
function nameListErrors(names: string, path: Path): FieldError[] {
  return splitList(names).flatMap((name) => nameErrors(name, path));
}

/**
 * The application by label: label and kind are given both or neither, as one without the other selects nothing (the
 * operator stops such an engine).
 */
export function validateAppInfo(appinfo: AppInfo | null | undefined, path: Path): FieldError[] {
  if (appinfo === undefined || appinfo === null) return [];
  const { appns = '', applabel = '', appkind = '' } = appinfo;
  const errors: FieldError[] = [];
  if (!blank(appkind) && blank(applabel)) {
    errors.push(
      required([...path, 'applabel'], `appkind is ${JSON.stringify(appkind)}; give both or neither`),
    );
  }
  if (!blank(applabel) && blank(appkind)) {
    errors.push(
      required([...path, 'appkind'], `applabel is ${JSON.stringify(applabel)}; give both or neither`),
    );
  }
  if (!blank(appns)) errors.push(...nameErrors(appns, [...path, 'appns']));
  errors.push(...validateLabelSelectorText(applabel, [...path, 'applabel']));
  return errors;
}

/** Targets by selectors: at least one, each with a namespace and with names or labels. */
export function validateSelectors(selectors: Selectors | null | undefined, path: Path): FieldError[] {
  if (selectors === undefined || selectors === null) return [];
  const workloads = selectors.workloads ?? [];
  const pods = selectors.pods ?? [];
  if (workloads.length === 0 && pods.length === 0) {
    return [required(path, 'give workloads or pods, or leave selectors out')];
  }
  const errors: FieldError[] = [];
  for (const [index, { kind, namespace, names, labels }] of workloads.entries()) {
    const here = [...path, 'workloads', index];
    if (blank(kind)) errors.push(required([...here, 'kind']));
    errors.push(...namespaceErrors(namespace, here));
    if (blank(names) && blank(labels)) errors.push(required([...here, 'names'], 'give names or labels'));
    if (!blank(names) && !blank(labels)) {
      errors.push(invalid([...here, 'labels'], labels, 'give names or labels, not both'));
    }
    errors.push(...nameListErrors(names ?? '', [...here, 'names']));
    errors.push(...validateLabelSelectorText(labels ?? '', [...here, 'labels']));
  }
  for (const [index, { namespace, names }] of pods.entries()) {
    const here = [...path, 'pods', index];
    errors.push(...namespaceErrors(namespace, here));
    if (blank(names)) errors.push(required([...here, 'names']));
    errors.push(...nameListErrors(names, [...here, 'names']));
  }
  return errors;
}

function namespaceErrors(namespace: string, path: Path): FieldError[] {
  const here = [...path, 'namespace'];
  return blank(namespace) ? [required(here)] : nameErrors(namespace, here);
}

/** Further applications: `namespace:label` with commas between. */
export function validateAuxiliaryAppInfo(text: string | null | undefined, path: Path): FieldError[] {
  if (blank(text)) return [];
  return (text ?? '').split(',').flatMap((item) => {
    const [namespace = '', label = '', ...rest] = item.trim().split(':');
    if (namespace === '' || label === '' || rest.length > 0) {
      return [invalid(path, text, `${JSON.stringify(item)} must be namespace:label, such as shop:app=cart`)];
    }
    return [...nameErrors(namespace, path), ...validateLabelSelectorText(label, path)];
  });
}
