import { parseImage } from '@turnsole/kube/text/image-reference';
import type { Application, ExposedPorts } from '../propose/application.ts';
import { readDockerfile } from './dockerfile.ts';
import { foldersOf } from './guess-command.ts';
import type { ProjectFiles } from './project-files.ts';

/**
 * The application with the ports that the Dockerfiles of its images expose, for containers whose manifests say none. Pure but for what it is
 * given.
 */
export function withExposedPorts(application: Application, files: Pick<ProjectFiles, 'read'>): Application {
  const images = application.workloads
    .flatMap(({ containers }) => containers)
    .flatMap(({ image = '', ports = [] }) => (ports.length === 0 && image !== '' ? [image] : []));
  const exposed = [...new Set(images)].flatMap((image) => {
    const found = exposedBy(parseImage(image)?.path.split('/').at(-1) ?? '', files);
    return found === undefined ? [] : [[image, found] as const];
  });
  return { ...application, exposed: new Map(exposed) };
}

function exposedBy(name: string, { read }: Pick<ProjectFiles, 'read'>): ExposedPorts | undefined {
  const paths = foldersOf(name).map((folder) => `${folder}Dockerfile`);
  const source = paths.find((path) => read(path) !== undefined);
  const { ports } = readDockerfile(source === undefined ? '' : (read(source) ?? ''), name);
  return source === undefined || ports.length === 0 ? undefined : { ports, source };
}
