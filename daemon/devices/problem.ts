import type { ActionFault } from '../contract/device-actions.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import type { StreamCode } from '../link/codes.ts';

/** Why a device could not be asked, or did not do what it was asked to. The message has no secrets. */
export class DeviceProblem extends Error {
  override readonly name: string = 'DeviceProblem';
  readonly word: DeviceProblemWord;
  /** Result code of the device's own API, if it gave one. */
  readonly code: number | undefined;
  /** What it answered to an action, if that is known more precisely. */
  readonly fault: ActionFault | undefined;

  constructor(word: DeviceProblemWord, message: string, code?: number, fault?: ActionFault) {
    super(message);
    this.word = word;
    this.code = code;
    this.fault = fault;
  }
}

/** The certificate of the device is not the accepted one. */
export class CertificateProblem extends DeviceProblem {
  override readonly name = 'CertificateProblem';
  /** SHA-256 of the certificate that the device shows: 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;

  constructor(word: 'certificateUnknown' | 'certificateChanged', fingerprint: string) {
    super(
      word,
      word === 'certificateUnknown'
        ? 'the certificate of the device was not accepted yet'
        : 'the device shows another certificate than the accepted one',
    );
    this.fingerprint = fingerprint;
  }
}

const ofStreams: Readonly<Record<StreamCode, readonly [word: DeviceProblemWord, message: string]>> = {
  cancelled: ['invalidAnswer', 'the device closed the connection'],
  refused: ['unreachable', 'nothing listens at that port, or the device closed the connection'],
  notPermitted: ['unreachable', 'that port or address must not be connected to'],
  busy: ['busy', 'the device has too many connections'],
  timedOut: ['timeout', 'the device did not accept a connection in time'],
  unknown: ['unreachable', 'there is no such device'],
  offline: ['unreachable', 'the device cannot be reached, or its agent is not connected'],
};

/** Why a connection to a port of a device could not be opened, or ended. */
export function problemOfStream(code: StreamCode): DeviceProblem {
  return new DeviceProblem(...ofStreams[code]);
}
