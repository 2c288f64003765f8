import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListOptions } from '../actions/image/list.ts';
import type { LoadOptions } from '../actions/image/load.ts';
import type { PruneOptions } from '../actions/image/prune.ts';
import type { PullOptions } from '../actions/image/pull.ts';
import { type Done, imageOption } from '../common-options.ts';
import { IMAGE_PROGRAMS } from '../image/image-programs.ts';
import { parseSizeOption } from '../options.ts';

/** `turnsole image`. */
export function addImage(program: Command, done: Done): void {
  const image = program
    .command('image')
    .description('images that embedded clusters have: load, pull, list, remove, prune');
  image
    .command('load')
    .description(
      'take images from an archive of "docker save", an OCI layout (a tar or a folder), or from a program that has them',
    )
    .argument('<source...>', 'archives; with --image-from names of images')
    .addOption(
      new Option('--image-from <program>', 'program that has the images').choices(
        Object.keys(IMAGE_PROGRAMS),
      ),
    )
    .option('--name <name>', 'name of the image, instead of that of the archive')
    .addOption(platformOption())
    .action(async (sources: readonly string[], options: LoadOptions) => {
      done(await (await import('../actions/image/load.ts')).run(sources, options));
    });
  image
    .command('pull')
    .description('bring images from their registries, with what docker login has kept')
    .argument('<image...>', 'names such as redis:7 or registry.example/shop/api:1')
    .addOption(platformOption())
    .action(async (names: readonly string[], options: PullOptions) => {
      done(await (await import('../actions/image/pull.ts')).run(names, options));
    });
  image
    .command('list')
    .description('images that pods can have: stored ones, and names that stand for commands of this machine')
    .addOption(imageOption())
    .addOption(new Option('--config <file>', 'project whose images count as well (default: turnsole.yaml)'))
    .option('--no-config', 'no project')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (options: ListOptions) => {
      done(await (await import('../actions/image/list.ts')).run(options));
    });
  image
    .command('remove')
    .description('remove images; those that pods run stay')
    .argument('<image...>', 'names as "turnsole image list" shows them')
    .action(async (names: readonly string[]) => {
      done(await (await import('../actions/image/remove.ts')).run(names));
    });
  image
    .command('prune')
    .description('remove what no image needs, and downloads that were broken off')
    .option('--all', 'also all images that no pod runs')
    .addOption(
      new Option(
        '--max-size <size>',
        'also images that were used longest ago, until there is no more than this, such as 5Gi',
      )
        .argParser(parseSizeOption)
        .conflicts('all'),
    )
    .action(async (options: PruneOptions) => {
      done(await (await import('../actions/image/prune.ts')).run(options));
    });
}

function platformOption(): Option {
  return new Option('--platform <os/arch>', 'such as linux/arm64 (default: this machine)').argParser(
    (text: string) => {
      const [os = '', architecture = '', variant, ...more] = text.split('/');
      if (os === '' || architecture === '' || more.length > 0) {
        throw new InvalidArgumentError('expected os/architecture, such as linux/arm64');
      }
      return { os, architecture, ...(variant !== undefined && { variant }) };
    },
  );
}
