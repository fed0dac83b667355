/**
 * Why the hub cannot communicate with a device, or why the device rejected a call.
 *
 * - `unreachable`: no route, no such host name, or nothing listens at the address
 * - `timeout`: the device did not answer in time
 * - `wrongPassword`: user name or password are wrong; the hub does not try again until they change
 * - `noPermission`: the user of the device may not do this
 * - `certificateChanged`: the device shows another certificate than the one that was accepted
 * - `certificateUnknown`: the certificate is self-signed and was not accepted yet
 * - `otherDevice`: another device, with another serial number, answers at the address
 * - `notADevice`: the host at the address has no API that the hub supports
 * - `invalidAnswer`: the response is malformed, too long or incomplete
 * - `refused`: the device rejected the call with a result code of its own
 * - `busy`: the device is updating or resetting, or is already carrying out the action
 * - `unsupported`: the device does not support the call
 * - `linkDown`: the agent through which the device is reached is not connected
 * - `overLicense`: more devices are approved than the license allows, and others were approved before
 */
export const deviceProblems = [
  'unreachable',
  'timeout',
  'wrongPassword',
  'noPermission',
  'certificateChanged',
  'certificateUnknown',
  'otherDevice',
  'notADevice',
  'invalidAnswer',
  'refused',
  'busy',
  'unsupported',
  'linkDown',
  'overLicense',
] as const;
export type DeviceProblemWord = (typeof deviceProblems)[number];

/**
 * Why a device that is online has no picture: `none`: it has none of its own, no stream that the hub can open, and is not
 * the live input of a channel. `failed`: it did not deliver it, or its stream none in time.
 */
export const devicePictureProblems = ['none', 'failed'] as const;
export type DevicePictureProblem = (typeof devicePictureProblems)[number];
