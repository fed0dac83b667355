import type { DeviceProblemWord } from '../contract/device-problems.ts';

/** Why a device could not be asked, or did not do what it was asked to. The message has no secrets. */
export class DeviceProblem extends Error {
  override readonly name = 'DeviceProblem';
  readonly word: DeviceProblemWord;
  /** Result code of the device's own API, if it gave one. */
  readonly code: number | undefined;

  constructor(word: DeviceProblemWord, message: string, code?: number) {
    super(message);
    this.word = word;
    this.code = code;
  }
}
