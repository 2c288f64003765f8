/** How requests of users' configurations treat certificates. */
import type Type from 'typebox';
import { fields, flag, optional, text } from './build.ts';

/** Whether any certificate is accepted. */
export const insecureSkipVerify = optional(
  flag('true: the TLS certificate of the server is not verified. Default: false.'),
);

/** Certificates of a TLS connection; the files lie in the experiment pod. */
export const tlsConfigSchema = fields(
  'Certificates that the TLS connection uses; the files lie in the experiment pod. Absent: the usual authorities, and no certificate of its own.',
  {
    caFile: optional(
      text(
        'Path of the file with the authorities (PEM) that are trusted instead of the usual ones. Absent: the usual ones.',
      ),
    ),
    certFile: optional(
      text(
        'Path of the file with the certificate (PEM) that is shown to the server; given together with keyFile. Absent: none is shown.',
      ),
    ),
    keyFile: optional(
      text('Path of the file with the private key (PEM) of that certificate; given together with certFile.'),
    ),
    insecureSkipVerify,
  },
);

export type TlsConfig = Type.Static<typeof tlsConfigSchema>;
