/** Certificates without a tool or a library: an authority, and servers signed by it (decision 4). */
export {
  type CertificateOptions,
  type KeyAndCertificate,
  makeAuthority,
  makeServerCertificate,
  readAuthority,
} from './certificate.ts';
export { toPem } from './der.ts';
