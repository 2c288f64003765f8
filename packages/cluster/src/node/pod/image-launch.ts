/** Launches of images of the store. */
import { messageOf } from '@turnsole/kube/text/error-message';
import type { ImageLease } from '../../images/types.ts';
import { containerCommand } from '../images/command.ts';
import { type ImageUser, imageUser } from '../images/image-user.ts';
import { LayeredFiles } from '../runtime/isolated/lower-files.ts';
import { parseStopSignal } from '../runtime/isolated/stop-signal.ts';
import { LaunchError } from './launch-error.ts';
import type { LaunchParts, LaunchSubject } from './launch-parts.ts';

/** PATH of an image that has none of its own, as container runtimes set it. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Gives what a container has of its image: command, variables, folder, user, files. @throws LaunchError */
export function imageLaunch(
  { pod, container, variables, mounts }: LaunchSubject,
  { image, layers }: Pick<ImageLease, 'image' | 'layers'>,
): LaunchParts {
  const { config } = image;
  const user = userOf({ pod, container }, config.user ?? '', layers);
  return {
    baseEnv: { PATH: DEFAULT_PATH, HOME: user.home },
    imageEnv: imageVariables(config.env),
    command: containerCommand(
      container,
      { entrypoint: config.entrypoint ?? [], args: config.cmd ?? [] },
      variables,
    ),
    workingDirectory: container.workingDir || config.workingDir || '/',
    stopSignal: parseStopSignal(config.stopSignal),
    root: {
      ...{ pod, container, mounts, needs: [] },
      image: { layers, volumes: config.volumes ?? [], user },
    },
  };
}

function userOf(
  { pod, container }: Pick<LaunchSubject, 'pod' | 'container'>,
  wanted: string,
  layers: readonly string[],
): ImageUser {
  const files = new LayeredFiles(layers);
  try {
    const texts = { passwd: files.read('/etc/passwd'), group: files.read('/etc/group') };
    return imageUser(pod, container, wanted, texts);
  } catch (cause) {
    throw new LaunchError('CreateContainerError', messageOf(cause), { cause });
  }
}

/** The variables of words `NAME=value`, of which the last counts; pure. */
function imageVariables(words: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    words.flatMap((word) => {
      const equals = word.indexOf('=');
      return equals > 0 ? [[word.slice(0, equals), word.slice(equals + 1)]] : [];
    }),
  );
}
