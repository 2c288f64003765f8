/** The user in a certificate or a request: the parts of its subject that Kubernetes takes for user and groups. */
import { expectTag, readAll, readObjectIdentifier, readOne, readString, TAG } from './der-reader.ts';
import { OID } from './oids.ts';

export interface Subject {
  /** '' without one; the last one of several. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Reads a distinguished name. */
export function readSubject(der: Buffer): Subject {
  let commonName = '';
  const organizations: string[] = [];
  for (const relative of readAll(readOne(der, TAG.sequence).content)) {
    for (const attribute of readAll(expectTag(relative, TAG.set).content)) {
      const [type, value] = readAll(expectTag(attribute, TAG.sequence).content);
      const oid = readObjectIdentifier(type);
      if (oid === OID.commonName) commonName = readString(value);
      else if (oid === OID.organization) organizations.push(readString(value));
    }
  }
  return { commonName, organizations };
}

/** Version, serial number, algorithm, issuer and validity come before the subject. */
const SUBJECT_POSITION = 5;

/** The subject of an X.509 v3 certificate. */
export function subjectOfCertificate(der: Buffer): Subject {
  const [body] = readAll(readOne(der, TAG.sequence).content);
  const fields = readAll(expectTag(body, TAG.sequence).content);
  return readSubject(expectTag(fields[SUBJECT_POSITION], TAG.sequence).whole);
}
