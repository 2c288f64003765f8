/** A step into a value: the name of a field or the index of an item. */
export type PathSegment = string | number;

const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;

/**
 * Path as people read it: `spec.experiments[1].name`. Names that hold anything but letters, digits, `-` and `_` are
 * put in brackets and quotes, so that the dots and slashes in them are not taken for steps:
 * `spec.probe[0]["httpProbe/inputs"].url`.
 */
export function formatPath(segments: readonly PathSegment[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else if (!PLAIN_KEY.test(segment)) path += `[${JSON.stringify(segment)}]`;
    else path += path === '' ? segment : `.${segment}`;
  }
  return path;
}
