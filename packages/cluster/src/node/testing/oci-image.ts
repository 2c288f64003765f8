/** Real images for tests: programs of this machine with their libraries, as an OCI layout that any container tool reads. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** One layer of an image. */
export interface LayerContent {
  /** Programs of this machine, by their paths here: copied to the same paths, with the libraries that they are linked to. */
  readonly programs?: readonly string[];
  /** Programs of this machine at other paths of the image, with their libraries. */
  readonly programsAt?: Readonly<Record<string, string>>;
  /** Folders and files of this machine, by their paths here: copied to the same paths, links followed. */
  readonly copies?: readonly string[];
  /** Files of a text, by path; a trailing `*` makes it executable. */
  readonly files?: Readonly<Record<string, string>>;
  /** Empty folders: `path` or `path uid:gid mode`. */
  readonly folders?: readonly string[];
  /** Symbolic links: path to target. */
  readonly links?: Readonly<Record<string, string>>;
  /** Paths that are removed from the layers below. */
  readonly removed?: readonly string[];
}

/** The `config` of an image's configuration, in the words of the OCI image specification. */
export interface OciConfig {
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
  readonly Volumes?: Readonly<Record<string, object>>;
  readonly StopSignal?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
}

interface OciImage {
  /** Whole name: `docker.io/library/web:1`. */
  readonly name: string;
  readonly layers: readonly LayerContent[];
  readonly config?: OciConfig;
  /** @default this machine's */
  readonly architecture?: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Writes an OCI layout; gives its folder, which is made in `folder`. */
export function writeOciImage(folder: string, image: OciImage): string {
  const layout = mkdtempSync(join(folder, 'layout-'));
  const blobs = join(layout, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const architecture = image.architecture ?? ARCHITECTURES[process.arch] ?? process.arch;
  const store = (type: string, content: Buffer | string) => {
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(blobs, digest), content);
    return { mediaType: type, digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
  };
  const layers = image.layers.map((content) =>
    store('application/vnd.oci.image.layer.v1.tar', tarOf(content)),
  );
  const config = store(
    'application/vnd.oci.image.config.v1+json',
    JSON.stringify({
      architecture,
      os: 'linux',
      config: image.config ?? {},
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    }),
  );
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = store(type, JSON.stringify({ schemaVersion: 2, mediaType: type, config, layers }));
  const annotations = {
    'org.opencontainers.image.ref.name': image.name,
    'io.containerd.image.name': image.name,
  };
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ ...manifest, annotations, platform: { os: 'linux', architecture } }],
  };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  return layout;
}

function tarOf(content: LayerContent): Buffer {
  const root = mkdtempSync(join(tmpdir(), 'turnsole-layer-'));
  try {
    fill(root, content);
    return execFileSync('tar', ['-C', root, '--numeric-owner', '--sort=name', '--mtime=@0', '-c', '.'], {
      maxBuffer: 1 << 30,
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function fill(root: string, content: LayerContent): void {
  const { programs = [], copies = [], files = {}, folders = [], links = {}, removed = [] } = content;
  chmodSync(root, 0o755);
  const placed = [
    ...programs.map((path) => [path, path] as const),
    ...Object.entries(content.programsAt ?? {}),
  ];
  for (const [path, program] of placed) copyFile(root, program, path);
  for (const library of librariesOf(placed.map(([, program]) => program))) copyFile(root, library);
  for (const path of copies) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    execFileSync('cp', ['-rL', path, join(root, dirname(path))]);
  }
  for (const [path, text] of Object.entries(files)) {
    const isProgram = path.endsWith('*');
    const target = join(root, isProgram ? path.slice(0, -1) : path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { mode: isProgram ? 0o755 : 0o644 });
  }
  for (const folder of folders) {
    const [path = '', owner = '0:0', mode = '755'] = folder.split(' ');
    mkdirSync(join(root, path), { recursive: true });
    const [uid = 0, gid = 0] = owner.split(':').map(Number);
    chownSync(join(root, path), uid, gid);
    chmodSync(join(root, path), Number.parseInt(mode, 8));
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    symlinkSync(target, join(root, path));
  }
  for (const path of removed) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, dirname(path), `.wh.${path.split('/').at(-1)}`), '');
  }
}

function copyFile(root: string, path: string, at = path): void {
  const target = join(root, at);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(path), target);
  chmodSync(target, 0o755);
}

/** The libraries of programs, the loader among them; none of static ones. */
export function librariesOf(programs: readonly string[]): string[] {
  if (programs.length === 0) return [];
  // It fails when one of them is static, and says the others all the same.
  const { stdout } = spawnSync('ldd', programs, { encoding: 'utf8' });
  const found = stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm);
  return [...new Set([...found].map(([, path = '']) => path))];
}

/** The name resolution that programs of glibc load when they need it. */
export function nameServices(): string[] {
  const folder = dirname(
    librariesOf([process.execPath]).find((path) => /\/libc\.so/.test(path)) ?? '/lib/none',
  );
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /^libnss_(?:files|dns)\.so|^libresolv\.so/.test(name))
        .map((name) => join(folder, name))
    : [];
}
