import type { Environment } from '@turnsole/kube/text/environment';
import { UsageError } from '../../../process/usage-error.ts';

/** Where keys for CloudWatch come from. */
export type KeySource =
  | { readonly kind: 'keys'; readonly keys: AwsKeys }
  /** A role that the service account of the pod may take (`sts:AssumeRoleWithWebIdentity`). */
  | {
      readonly kind: 'webIdentity';
      readonly roleArn: string;
      readonly tokenFile: string;
      readonly sessionName: string;
    }
  /** An agent on the node that gives keys to pods. */
  | { readonly kind: 'agent'; readonly url: string; readonly token: string; readonly tokenFile: string };

/** Keys that sign requests. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The settings of the push to CloudWatch. */
export interface CloudWatchSettings {
  /** CloudWatch's own, under which the metrics lie. */
  readonly metricNamespace: string;
  /** Dimension `ClusterName`. */
  readonly clusterName: string;
  /** Dimension `Service`. */
  readonly service: string;
  readonly region: string;
  readonly endpoint: string;
  /** Where tokens of service accounts are exchanged for keys. */
  readonly tokenEndpoint: string;
  readonly keySource: KeySource;
}

const SWITCHES = ['AWS_CLOUDWATCH_METRIC_NAMESPACE', 'CLUSTER_NAME', 'APP_NAME'] as const;

/**
 * Reads upstream's three variables and those of Amazon's programs. Pure.
 *
 * @returns undefined unless all three are set, as upstream
 * @throws UsageError naming the variable that is lacking beside them
 */
export function readCloudWatch(env: Environment): CloudWatchSettings | undefined {
  const word = (name: string): string => (env[name] ?? '').trim();
  const [metricNamespace = '', clusterName = '', service = ''] = SWITCHES.map(word);
  if (metricNamespace === '' || clusterName === '' || service === '') return undefined;
  if (word('CHAOSENGINE') !== '') {
    throw new UsageError(
      `environment variable ${SWITCHES[0]}: the exporter of one ChaosEngine does not push to CloudWatch; leave out CHAOSENGINE`,
    );
  }
  const region = word('AWS_REGION') || word('AWS_DEFAULT_REGION');
  if (region === '') {
    throw new UsageError(
      `environment variable AWS_REGION is lacking; CloudWatch, which ${SWITCHES[0]} asks for, has one`,
    );
  }
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = (name: string, host: string): string =>
    urlIn(env, [`AWS_ENDPOINT_URL_${name}`, 'AWS_ENDPOINT_URL']) ?? `https://${host}.${region}.${domain}/`;
  return {
    metricNamespace,
    clusterName,
    service,
    region,
    endpoint: endpoint('CLOUDWATCH', 'monitoring'),
    tokenEndpoint: endpoint('STS', 'sts'),
    keySource: readKeySource(env, word),
  };
}

/** In the order of Amazon's programs. */
function readKeySource(env: Environment, word: (name: string) => string): KeySource {
  const [accessKeyId, secretAccessKey] = [word('AWS_ACCESS_KEY_ID'), word('AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId !== '' && secretAccessKey !== '') {
    const sessionToken = word('AWS_SESSION_TOKEN') || undefined;
    return { kind: 'keys', keys: { accessKeyId, secretAccessKey, sessionToken } };
  }
  const [roleArn, tokenFile] = [word('AWS_ROLE_ARN'), word('AWS_WEB_IDENTITY_TOKEN_FILE')];
  if (roleArn !== '' && tokenFile !== '') {
    return {
      kind: 'webIdentity',
      roleArn,
      tokenFile,
      sessionName: word('AWS_ROLE_SESSION_NAME') || 'turnsole-exporter',
    };
  }
  const url = urlIn(env, ['AWS_CONTAINER_CREDENTIALS_FULL_URI']);
  if (url !== undefined) {
    const [token, file] = [
      word('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
      word('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
    ];
    return { kind: 'agent', url, token, tokenFile: file };
  }
  throw new UsageError(
    'environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are lacking; set them, or give the service account a role ' +
      '(AWS_ROLE_ARN with AWS_WEB_IDENTITY_TOKEN_FILE, or AWS_CONTAINER_CREDENTIALS_FULL_URI), or leave out ' +
      `${SWITCHES[0]}; shared configuration files and the keys of nodes are not looked at`,
  );
}

function urlIn(env: Environment, names: readonly string[]): string | undefined {
  const name = names.find((one) => (env[one] ?? '').trim() !== '');
  if (name === undefined) return undefined;
  const text = (env[name] ?? '').trim();
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new UsageError(
    `environment variable ${name}: ${JSON.stringify(text)} must be an address with http:// or https://`,
  );
}
