import { join, posix } from 'node:path';
import { FETCHED_PATH, HOME, MAIN_PATH } from '@turnsole/workflows/pods/helper';
import { ORDER_FILE } from '@turnsole/workflows/pods/settings';
import { SECRETS_FOLDER } from '@turnsole/workflows/pods/stores';

/** Where a helper finds things. Pods of the embedded cluster that are plain processes have their mounts below a folder. */
export interface Places {
  readonly order: string;
  /** What the pod's containers share. */
  readonly home: string;
  /** Fetched artifacts, each under its name. */
  readonly fetched: string;
  /** Below it are the volumes of main where main has them. */
  readonly main: string;
  readonly secrets: string;
  /** Of this container. */
  readonly lastWords: string;
  /** A path of a mount as this process sees it. */
  readonly at: (path: string) => string;
}

export function placesBelow(root = '/'): Places {
  const at = (path: string): string => join(root, posix.normalize(`/${path}`));
  return {
    order: at(ORDER_FILE),
    home: at(HOME),
    fetched: at(FETCHED_PATH),
    main: at(MAIN_PATH),
    secrets: at(SECRETS_FOLDER),
    lastWords: at('/dev/termination-log'),
    at,
  };
}
