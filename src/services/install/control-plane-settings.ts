/** How the control plane is to stand in the cluster; everything decided. */
export interface ControlPlaneSettings {
  /** Secret with the address of a PostgreSQL database; undefined: a file on a claim, and one server. */
  readonly databaseSecret: { readonly name: string; readonly key: string } | undefined;
  /** Secret with `tls.crt` and `tls.key`: of the Ingress when a host is set, else of the server. */
  readonly tlsSecret: string | undefined;
  /** Name under which an Ingress leads to it; undefined: without an Ingress. */
  readonly host: string | undefined;
}

/** What the command line says of it. */
export interface ControlPlaneOptions {
  readonly controlPlane?: boolean;
  /** `NAME` or `NAME/KEY` */
  readonly controlPlaneDatabaseSecret?: string;
  readonly controlPlaneTlsSecret?: string;
  readonly controlPlaneHost?: string;
}

/** Default key of the database's secret. */
const DATABASE_KEY = 'url';

/** The settings of the control plane; undefined where it is not asked for. Pure. */
export function controlPlaneSettings(options: ControlPlaneOptions): ControlPlaneSettings | undefined {
  if (options.controlPlane !== true) return undefined;
  const [name = '', key = DATABASE_KEY] = options.controlPlaneDatabaseSecret?.split('/') ?? [];
  return {
    databaseSecret: options.controlPlaneDatabaseSecret === undefined ? undefined : { name, key },
    tlsSecret: options.controlPlaneTlsSecret,
    host: options.controlPlaneHost,
  };
}

/** Problems of the control plane's options. Pure. */
export function controlPlaneProblems(
  options: ControlPlaneOptions,
): { readonly option: string; readonly message: string }[] {
  const given: readonly (readonly [string, string | undefined, RegExp, string])[] = [
    ['--control-plane-database-secret', options.controlPlaneDatabaseSecret, SECRET_KEY, 'NAME or NAME/KEY'],
    ['--control-plane-tls-secret', options.controlPlaneTlsSecret, DNS_NAME, 'the name of a Secret'],
    ['--control-plane-host', options.controlPlaneHost, DNS_NAME, 'the name of a host, in lower case'],
  ];
  return given.flatMap(([option, text, pattern, expected]) => {
    if (text === undefined) return [];
    if (options.controlPlane !== true) {
      return [{ option, message: 'it is of the control plane; say --control-plane as well' }];
    }
    return pattern.test(text) && text.length <= 253
      ? []
      : [{ option, message: `${JSON.stringify(text)}: expected ${expected}` }];
  });
}

const LABELS = String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`;
const DNS_NAME = new RegExp(`^${LABELS}$`);
const SECRET_KEY = new RegExp(`^${LABELS}(/[-._a-zA-Z0-9]+)?$`);
