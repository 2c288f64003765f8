import { messageOf } from '@turnsole/kube/text/error-message';

/** A volume could not be set up. The pod waits, and it is tried again. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
  readonly volume: string;

  constructor(volume: string, cause: unknown) {
    const reason = messageOf(cause);
    super(`MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${reason}`, { cause });
    this.volume = volume;
  }
}
