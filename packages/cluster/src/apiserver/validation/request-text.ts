/** The request inside of a CertificateSigningRequest, as people send it: PEM in base64. */
import { type CertificateRequest, DerError, readCertificateRequest, readPem } from '@turnsole/kube/tls/index';
import { asString } from '../object.ts';

/** The request, or as a text why it is invalid. */
export function readRequestField(request: unknown): CertificateRequest | string {
  const [block] = readPem(Buffer.from(asString(request), 'base64').toString('latin1'));
  if (block?.label !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return readCertificateRequest(block.der);
  } catch (error) {
    if (error instanceof DerError) return `the certificate request cannot be read: ${error.message}`;
    throw error;
  }
}
