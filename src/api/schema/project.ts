/** `turnsole.yaml`: what a project would otherwise say on each command line. */
import type Type from 'typebox';
import { choice, fields, optional, text, textMap, texts, whole } from './build.ts';

/** The whole file. */
export const projectSchema = fields(
  'What turnsole run, plan and up need to know of a project. Options of the command line win.',
  {
    manifests: optional(
      texts(
        'Files and folders with the manifests of the application, relative to this file. They are applied to an embedded cluster; with --kubeconfig the application is there already. Default: none.',
      ),
    ),
    experiments: optional(
      texts(
        'Files and folders with the experiments that are run and planned where the command line names none, relative to this file. Default: none.',
      ),
    ),
    namespace: optional(
      text(
        'Namespace of objects that name none. Default: default, or with --kubeconfig that of its context.',
      ),
    ),
    build: optional(
      texts(
        'Commands that run before an embedded cluster starts, one after the other, by sh in the folder of this file. One that fails ends everything. Default: none.',
      ),
    ),
    images: optional(
      textMap(
        'Embedded cluster: the command that an image name stands for, which runs in the folder of this file; split at blanks. Names are compared without registry, tag and digest unless they have them. An empty text is for images whose containers say their own command.',
      ),
    ),
    faults: optional(
      texts(
        'Faults of your own: folders with modules, relative to this file, and npm packages that are installed. The name of a module is that of its fault. Default: none.',
      ),
    ),
    nodes: optional(whole('Embedded cluster: number of nodes. Default: 1.', { minimum: 1, maximum: 5000 })),
    isolation: optional(
      choice(
        'Embedded cluster: whether pods have networks, processes, files and limits of their own, which takes Linux, and root or a user who may make namespaces. auto (default): where that is possible as root, and of an ordinary user where what is run or planned needs it; none: never; full: always, or else it does not start.',
        ['auto', 'none', 'full'],
      ),
    ),
    readyTimeout: optional(
      text('How long workloads may take to become ready, as a duration such as 90s. Default: 2m.'),
    ),
    timeout: optional(text('Limit of a whole run, as a duration such as 10m. Default: 30m.')),
  },
);

/** The file as it is written. */
export type ProjectFile = Type.Static<typeof projectSchema>;
