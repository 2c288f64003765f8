import { dnsLabelProblems, subdomainProblems } from '@turnsole/kube/text/names';
import type { ImageRegistryInput } from '../schema/generated/types.ts';

/** A problem of a field, as a sentence. */
interface InputProblem {
  readonly field: keyof ImageRegistryInput;
  readonly sentence: string;
}

/**
 * The problem of an image registry; undefined if it is valid. The values become parts of image names and manifests, so they must be
 * valid names. Pure.
 */
export function inputProblem(input: ImageRegistryInput): InputProblem | undefined {
  const { imageRegistryName, imageRepoName, imageRegistryType, secretName, secretNamespace } = input;
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(:\d{1,5})?$/.test(imageRegistryName)) {
    return {
      field: 'imageRegistryName',
      sentence: 'imageRegistryName is no host, such as docker.io or registry.example:5000',
    };
  }
  if (
    !/^(?:[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)?$/.test(imageRepoName) ||
    imageRepoName.length > 255
  ) {
    return { field: 'imageRepoName', sentence: 'imageRepoName is no path of images, such as litmuschaos' };
  }
  if (!/^(?:public|private)$/i.test(imageRegistryType)) {
    return { field: 'imageRegistryType', sentence: 'imageRegistryType is neither public nor private' };
  }
  const [secret, namespace] = [secretName ?? '', secretNamespace ?? ''];
  if (secret !== '' && subdomainProblems(secret).length > 0) {
    return { field: 'secretName', sentence: 'secretName is no name of a Secret' };
  }
  if (namespace !== '' && dnsLabelProblems(namespace).length > 0) {
    return { field: 'secretNamespace', sentence: 'secretNamespace is no name of a namespace' };
  }
  return undefined;
}
