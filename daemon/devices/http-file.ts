/** Files of a device, such as pictures, which cameras protect with HTTP Digest. */
import type { Credentials, DeviceResponse, Transport } from './driver.ts';
import { digestHeader } from './http-digest.ts';
import { DeviceProblem } from './problem.ts';

const maxPictureBytes = 4 * 1024 * 1024;

/** Returns a JPEG. Rejects with `unsupported` if the device asks for the password in the clear. */
export async function readPicture(
  transport: Transport,
  path: string,
  credentials: Credentials,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const get = (headers: Readonly<Record<string, string>>): Promise<DeviceResponse> =>
    transport.request({ path, headers, timeoutMs, maxBytes: maxPictureBytes }, signal);
  let response = await get({});
  if (response.status === 401) {
    const challenge = response.headers.get('www-authenticate') ?? '';
    const authorization = digestHeader(challenge, path, credentials);
    if (authorization === undefined)
      throw new DeviceProblem('unsupported', 'the device asks for the password in the clear');
    response = await get({ authorization });
  }
  if (response.status === 401) throw new DeviceProblem('noPermission', 'the device refuses the picture');
  if (response.status !== 200) throw new DeviceProblem('invalidAnswer', `HTTP status ${response.status} for a picture`);
  const { body } = response;
  if (body[0] !== 0xff || body[1] !== 0xd8) throw new DeviceProblem('invalidAnswer', 'picture: not a JPEG');
  return body;
}
