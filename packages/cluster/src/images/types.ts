/** What the image store offers: the contract between it and those who run containers of its images. */

/** What a machine is, in the words of image indexes (those of Go: `linux`, `amd64`, `arm64`). */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  /** `v7` of `arm`. */
  readonly variant?: string | undefined;
}

/** The part of an image's configuration that containers are started by (OCI Image Configuration, `config`); what is not said is undefined. */
export interface ImageConfig {
  /** `user`, `uid`, `user:group`, `uid:gid`…, as the image says it: names are those of its own passwd and group. */
  readonly user?: string | undefined;
  readonly entrypoint?: readonly string[] | undefined;
  readonly cmd?: readonly string[] | undefined;
  /** Words `NAME=value`, in the image's order. */
  readonly env?: readonly string[] | undefined;
  /** Absolute path in the image. It need not exist in the layers. */
  readonly workingDir?: string | undefined;
  /** Absolute paths whose content is a volume's. */
  readonly volumes?: readonly string[] | undefined;
  /** `80/tcp`. */
  readonly exposedPorts?: readonly string[] | undefined;
  /** `SIGQUIT`, or a number. */
  readonly stopSignal?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** An image whose manifest, configuration and layers are all in the store. */
export interface StoredImage {
  /** Its whole name: `docker.io/library/redis:7`, `registry.example/shop@sha256:…`. */
  readonly reference: string;
  /** Digest of its manifest, of its platform alone: what `imageID` of a container says after the `@`. */
  readonly digest: string;
  /** Digest of its configuration: what Docker calls the image's ID. */
  readonly configDigest: string;
  readonly platform: Platform;
  /** Bytes of its layers as they are stored, most of them compressed. */
  readonly size: number;
  readonly config: ImageConfig;
  /** When it was made, as it says itself (RFC 3339). */
  readonly created?: string | undefined;
  /** When it came into the store, and when it was last pulled or leased; milliseconds since 1970. */
  readonly storedAt: number;
  readonly usedAt: number;
}

/**
 * An image that is unpacked and stays so: nothing of it is removed or pruned until the lease is released, or the process that took it has
 * ended in whatever way.
 */
export interface ImageLease extends AsyncDisposable {
  readonly image: StoredImage;
  /**
   * Absolute folders, the lowest first, to be lower folders of an overlay and not to be written to. What a layer removes is a character
   * device 0/0 in it; there are no opaque folders that an attribute has to mark. None for an image without layers.
   */
  readonly layers: readonly string[];
  /** What of the image could not be kept, as sentences for people: owners that this user cannot give, attributes, devices. Empty for root. */
  readonly notes: readonly string[];
  /** Idempotent. */
  release(): Promise<void>;
}

/** How far a pull, a load or an unpacking is. */
export interface ImageProgress {
  readonly step: 'resolve' | 'download' | 'unpack';
  /** Bytes that are there, and all, over all layers together; 0 of 0 while that is not known. */
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** Layers that are done with this step, and all. */
  readonly doneLayers: number;
  readonly totalLayers: number;
}

/** A name and its password, or a token, for one registry. */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string }
  /** The `identitytoken` of a configuration: exchanged at the registry's token service. */
  | { readonly identityToken: string }
  /** The `registrytoken` of a configuration: sent as it is. */
  | { readonly registryToken: string };

/** Finds what a registry is asked with; undefined asks without a name. `repository` is the image's path there. */
export type CredentialSource = (
  registry: string,
  repository: string,
) => Promise<RegistryCredentials | undefined> | RegistryCredentials | undefined;

interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called at most some ten times a second. */
  readonly onProgress?: ((progress: ImageProgress) => void) | undefined;
}

export interface PullOptions extends WorkOptions {
  /** @default the store's */
  readonly platform?: Platform | undefined;
  /** Asked one after the other for each registry; the user's own configuration is asked last. @default that alone */
  readonly credentials?: readonly CredentialSource[] | undefined;
  /** Whether it is unpacked as well, while it is still being pulled: a lease has nothing to wait for then. @default true */
  readonly unpack?: boolean | undefined;
}

export interface LoadOptions extends WorkOptions {
  /** Name of the image, instead of those of the archive; refused where there are several images. */
  readonly name?: string | undefined;
  /** Which image of those for several platforms. @default the store's */
  readonly platform?: Platform | undefined;
  /** @default true */
  readonly unpack?: boolean | undefined;
}

/** What prune and remove have removed. */
export interface RemovedImages {
  /** References that are gone. */
  readonly references: readonly string[];
  /** References that stay as somebody holds a lease. */
  readonly inUse: readonly string[];
  readonly freedBytes: number;
}

/**
 * The images of a user, in a folder that all clusters and commands of that user share; several processes may work on it at once. Names
 * may be short (`redis`): they are completed as Docker does, so that `redis`, `redis:latest` and `docker.io/library/redis` are one.
 * All methods reject with an {@link ImageError}.
 */
export interface ImageStore {
  readonly directory: string;
  /** Images for this platform are found, pulled and loaded where no other is asked for. */
  readonly platform: Platform;
  /** The image of a name that is in the store; nothing is pulled. */
  find(reference: string, platform?: Platform): Promise<StoredImage | undefined>;
  /**
   * Brings an image from its registry, also when the store has one of that name: the registry says whether it is still the same, and what
   * is there is not brought again.
   */
  pull(reference: string, options?: PullOptions): Promise<StoredImage>;
  /** Takes in the images of an OCI layout (a folder, or a tar of it) or of an archive by `docker save`. */
  load(path: string, options?: LoadOptions): Promise<readonly StoredImage[]>;
  /** All images, by name. */
  list(): Promise<readonly StoredImage[]>;
  /** Unpacks what is not unpacked yet, and protects it. */
  lease(image: StoredImage, options?: WorkOptions): Promise<ImageLease>;
  /** Removes names, and what no other name needs. An unknown name is an error, one in use stays. */
  remove(references: readonly string[]): Promise<RemovedImages>;
  /**
   * Removes what no name needs, and downloads that were broken off; then the images that were used longest ago until the store has at
   * most `maxBytes`. Images in use stay.
   */
  prune(options?: { readonly maxBytes?: number | undefined }): Promise<RemovedImages>;
  /** Releases the leases of this store object, and waits for what it is doing. Idempotent. */
  close(): Promise<void>;
}

export interface ImageStoreOptions {
  /** @default `imagesDirectory()` */
  readonly directory?: string | undefined;
  /** @default this machine's, as `linux` */
  readonly platform?: Platform | undefined;
  /** After a pull or a load, images that were used longest ago are removed until no more than this is there. @default 30 GiB */
  readonly maxBytes?: number | undefined;
  /**
   * Words in front of a command that put it where images are unpacked: into the user namespace in which it is root. What is unpacked in
   * different maps of ids is kept apart. @default none: this process' own namespace
   */
  readonly enter?: readonly string[] | undefined;
  /** @default the environment of this process: proxies, DOCKER_CONFIG, PATH of credential programs */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Sentences about what goes on beside: an attempt that is repeated, a leftover that cannot be removed. @default none */
  readonly onNote?: ((sentence: string) => void) | undefined;
}
