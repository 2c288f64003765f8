import { hasControls } from './has-controls.ts';
import { RemoteError } from './remote-error.ts';

/** The address of a zip file. Pure. @throws RemoteError for what is not http or https, and for credentials in it */
export function parseFileUrl(text: string): URL {
  const trimmed = text.trim();
  const url = !hasControls(trimmed) && URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new RemoteError('the address of a remote hub begins with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new RemoteError('the address of a remote hub holds credentials, which would be shown with it');
  }
  return url;
}
