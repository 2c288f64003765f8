import type { GuessedCommand, ProjectFiles } from './project-files.ts';

/** Folder of a project for what its turnsole.yaml has compiled. */
export const BUILT = '.turnsole';

/**
 * The program that the sources of a folder are compiled into, with the command that does it: a main package of Go in its own module or
 * the project's, a package of Rust. Undefined where it is none, or this machine has no compiler. Pure but for what it is given.
 *
 * @param name of the image, for the program
 * @param folder with a slash at its end; empty: the project's
 */
export function compiledProgram(
  name: string,
  folder: string,
  files: ProjectFiles,
): GuessedCommand | undefined {
  return ofGo(name, folder, files) ?? ofRust(folder, files);
}

function ofGo(name: string, folder: string, { read, hasProgram }: ProjectFiles): GuessedCommand | undefined {
  if (read(`${folder}main.go`) === undefined || !hasProgram('go')) return undefined;
  const output = `${BUILT}/${name === '' ? 'main' : name}`;
  if (read(`${folder}go.mod`) !== undefined) {
    const build =
      folder === '' ? `go build -o ${output} .` : `go build -C ${folder.slice(0, -1)} -o "$PWD/${output}" .`;
    return { command: `./${output}`, build, source: `${folder}go.mod` };
  }
  // A package of the project's module, which go names by a path that begins with a point.
  return read('go.mod') === undefined
    ? undefined
    : {
        command: `./${output}`,
        build: `go build -o ${output} ./${folder.slice(0, -1)}`,
        source: `${folder}main.go`,
      };
}

function ofRust(folder: string, { read, hasProgram }: ProjectFiles): GuessedCommand | undefined {
  const text = read(`${folder}Cargo.toml`);
  const main = read(`${folder}src/main.rs`);
  const crate = /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/ms.exec(text ?? '')?.[1];
  if (crate === undefined || main === undefined || !hasProgram('cargo')) return undefined;
  const target = `${BUILT}/cargo`;
  return {
    command: `./${target}/release/${crate}`,
    build: `cargo build --release --manifest-path ${folder}Cargo.toml --target-dir ${target}`,
    source: `${folder}Cargo.toml`,
  };
}
