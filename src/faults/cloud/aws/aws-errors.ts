import { CloudError, type CloudErrorKind, isNoAnswer } from '../cloud-error.ts';

/** What the vendor's clients throw, as far as it is looked at. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const BY_CODE: readonly (readonly [codes: RegExp, kind: CloudErrorKind])[] = [
  [
    /^(RequestLimitExceeded|Request?Thrott\w*|Throttl\w*|TooManyRequests\w*|EC2ThrottledException|BandwidthLimitExceeded|SlowDown)$/,
    'throttled',
  ],
  [
    /^(UnauthorizedOperation|AuthFailure|AccessDenied\w*|InvalidClientTokenId|UnrecognizedClient\w*|SignatureDoesNotMatch|InvalidSignature\w*|ExpiredToken\w*|MissingAuthenticationToken\w*|IncompleteSignature\w*|OptInRequired|Blocked|CredentialsProviderError|TokenProviderError|InvalidAccessKeyId|NotAuthorized)$/,
    'denied',
  ],
  [
    /NotFound(Fault|Exception)?$|^(InvalidInstanceId|InvalidDocument|InvalidCommandId|LoadBalancerNotFound)$/,
    'gone',
  ],
  [
    /^(IncorrectInstanceState|IncorrectState|InvalidDBInstanceState(Fault)?|VolumeInUse|ResourceInUse\w*|OperationNotPermitted|InvocationDoesNotExist|DocumentAlreadyExists|DependencyViolation|PriorRequestNotComplete)$/,
    'busy',
  ],
  [
    /^(InternalError|InternalFailure|InternalServerError|ServiceUnavailable|Unavailable|TimeoutError|RequestTimeout\w*)$/,
    'unavailable',
  ],
];

const LONGEST_MESSAGE = 300;

/** An error of the vendor's clients by its kind; says which call it was. Pure. */
export function cloudErrorOf(action: string, thrown: unknown): CloudError {
  // Anything may be thrown; only these fields are looked at.
  const { name: code = 'Error', message = String(thrown), $metadata } = (thrown ?? {}) as SdkError;
  const status = $metadata?.httpStatusCode;
  const kind = isNoAnswer(thrown) ? 'unavailable' : kindOf(code, status);
  const words = message.replaceAll(/\s+/g, ' ');
  const said = words.length > LONGEST_MESSAGE ? `${words.slice(0, LONGEST_MESSAGE)}…` : words;
  return new CloudError(kind, code, `${action}: ${code}: ${said}${HINTS[kind] ?? ''}`, { cause: undefined });
}

const HINTS: Partial<Record<CloudErrorKind, string>> = {
  denied: '; check the credentials, and allow what deploy/cloud lists for this fault',
  throttled: '; the account makes too many requests',
};

function kindOf(code: string, status: number | undefined): CloudErrorKind {
  const known = BY_CODE.find(([codes]) => codes.test(code))?.[1];
  if (known !== undefined) return known;
  // Without a status nothing was answered: the client, its settings or this program are to be mended.
  if (status === undefined) return 'refused';
  if (status >= 500) return 'unavailable';
  if (status === 429) return 'throttled';
  return status === 401 || status === 403 ? 'denied' : 'refused';
}
