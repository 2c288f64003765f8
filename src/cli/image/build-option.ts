import { InvalidArgumentError } from 'commander';

/** An image that is to be built: `--build PATH=NAME`. */
export interface BuildOrder {
  /** A Dockerfile, or a folder that has one. */
  readonly path: string;
  readonly name: string;
}

/** Collects `path=name`. Names of images have no equals sign, so the last one separates. Pure. */
export function parseBuildOption(text: string, orders: readonly BuildOrder[] = []): BuildOrder[] {
  const at = text.lastIndexOf('=');
  const [path, name] = [text.slice(0, at), text.slice(at + 1)];
  if (at <= 0 || name === '')
    throw new InvalidArgumentError(
      'expected a Dockerfile or its folder and the name of the image, for example ./Dockerfile=shop/api:dev',
    );
  return [...orders, { path, name }];
}

/** Where the containers of built images are to run. */
interface BuildPlace {
  readonly isExisting: boolean;
  readonly isolation: 'auto' | 'none' | 'full' | undefined;
  readonly platform: NodeJS.Platform;
}

/** Why no container of a built image could run, known before anything is built; undefined where one may. Pure. */
export function obstacleToBuilds({ isExisting, isolation, platform }: BuildPlace): string | undefined {
  if (isExisting)
    return '--build is for the embedded cluster; push the image to a registry that the cluster reaches';
  if (platform !== 'linux')
    return '--build takes Linux, where containers of images run; use --image NAME=COMMAND';
  if (isolation === 'none') return '--build takes isolated pods, and --isolation none has none';
  return undefined;
}
