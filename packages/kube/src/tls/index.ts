/** Certificates without a tool or a library: an authority, and servers signed by it (decision 4). */
export {
  type ExtendedUsage,
  type KeyAndCertificate,
  makeAuthority,
  makeServerCertificate,
  signRequest,
} from './certificate.ts';
export { type CertificateRequest, readCertificateRequest } from './certificate-request.ts';
export { DerError } from './der-reader.ts';
export { readPem, toPem } from './pem.ts';
