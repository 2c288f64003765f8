import { isObject, textOf } from '@turnsole/kube/text/json';

/** What the server asks for. All texts may be empty; `requestType` is what its sender wrote. */
export interface Action {
  readonly requestID: string;
  readonly requestType: string;
  readonly manifest: string;
  readonly namespace: string;
  readonly externalData: string;
  readonly username: string;
}

/** Reads an action; absent fields and null are empty. Undefined for any other value. */
export function readAction(value: unknown): Action | undefined {
  if (!isObject(value)) return undefined;
  const text = (name: string): string => textOf(value[name]);
  return {
    requestID: text('requestID'),
    requestType: text('requestType'),
    manifest: text('k8sManifest'),
    namespace: text('namespace'),
    externalData: text('externalData'),
    username: text('username'),
  };
}
