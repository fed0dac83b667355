/** `DeviceFacts` of a stream, and why it could not be opened. */
import type { DeviceFacts } from '../../contract/device-facts.ts';
import type { DeviceProblemWord } from '../../contract/device-problems.ts';
import type { MediaInfo } from '../../contract/stream-fields.ts';
import { labelOf } from '../../sources/stream-address.ts';
import type { StreamDevice } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { clipped } from '../units.ts';

const protocolNames = { rtsp: 'RTSP', http: 'HTTP', rtmp: 'RTMP', srt: 'SRT' } as const;

export function factsOf({ sn, name, source }: StreamDevice, { video, audio }: MediaInfo): DeviceFacts {
  const protocol = protocolNames[source.protocol as keyof typeof protocolNames] ?? source.protocol;
  const size = { width: video?.width, height: video?.height, interlaced: video?.interlaced, fps: video?.fps };
  return {
    identity: { sn, name, api: 'stream', 'product-id': 0, model: protocol, 'hardware-ver': '', 'firmware-ver': '' },
    signal: { state: video === undefined ? 'none' : 'present', ...(video && size) },
    main: video && { codec: video.codec, ...size },
    audio: audio && { codec: audio.codec, channels: audio.channels, 'sample-rate': audio['sample-rate'] },
    streams: [{ id: '1', name, protocol, address: clipped(labelOf(source)), state: 'running' }],
    disks: [],
    // A stream of audio alone has no picture that could be missing.
    warnings: [],
    tasks: [],
  };
}

/** By the reasons of connections, which are words of the engine. */
const words: Readonly<Record<string, DeviceProblemWord>> = {
  dnsFailed: 'unreachable',
  addressNotAllowed: 'unreachable',
  unreachable: 'unreachable',
  refused: 'unreachable',
  timeout: 'timeout',
  noData: 'timeout',
  stalled: 'timeout',
  noInput: 'timeout',
  notAuthorized: 'wrongPassword',
  wrongPassphrase: 'wrongPassword',
  streamRefused: 'refused',
  tlsFailed: 'invalidAnswer',
  partMissing: 'unsupported',
};

const texts: Readonly<Record<string, string>> = {
  dnsFailed: 'the host name was not found',
  addressNotAllowed: 'the hub may not connect to this address',
  notAuthorized: 'the server refuses user name and password',
  wrongPassphrase: 'the passphrase is wrong',
  streamRefused: 'the server has no such stream',
  partMissing: 'the hub lacks the part that opens such streams',
  noData: 'connected, but no data arrives',
};

export function problemOf(reason: string): DeviceProblem {
  return new DeviceProblem(words[reason] ?? 'invalidAnswer', texts[reason] ?? `the stream is not there (${reason})`);
}
