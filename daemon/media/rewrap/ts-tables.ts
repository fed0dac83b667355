/** PAT and PMT of a programme with one video and one audio stream (ISO/IEC 13818-1, 2.4.4). */
import { withChecksum } from '../mpegts/psi.ts';

export interface ProgrammeStreams {
  readonly video?: 'h264' | 'hevc';
  readonly audio?: 'aac';
}

export const pids = { pat: 0, pmt: 0x1000, video: 0x100, audio: 0x101 } as const;
const streamTypes = { h264: 0x1b, hevc: 0x24, aac: 0x0f } as const;
const programme = 1;
const noPid = 0x1fff;

export function programmeTables(
  { video, audio }: ProgrammeStreams,
  version: number,
): { readonly pat: Uint8Array; readonly pmt: Uint8Array } {
  const clockPid = video ? pids.video : audio ? pids.audio : noPid;
  const streams = [
    ...(video ? [streamTypes[video], 0xe0 | (pids.video >> 8), pids.video & 0xff, 0xf0, 0] : []),
    ...(audio ? [streamTypes[audio], 0xe0 | (pids.audio >> 8), pids.audio & 0xff, 0xf0, 0] : []),
  ];
  return {
    pat: section(0, version, [0, programme, 0xe0 | (pids.pmt >> 8), pids.pmt & 0xff]),
    pmt: section(2, version, [0xe0 | (clockPid >> 8), clockPid & 0xff, 0xf0, 0, ...streams]),
  };
}

function section(tableId: number, version: number, body: readonly number[]): Uint8Array {
  const length = 5 + body.length + 4;
  // Both tables carry an id of 1: of the transport stream, and of the programme.
  const head = [tableId, 0xb0 | (length >> 8), length & 0xff, 0, 1, 0xc1 | (version << 1), 0, 0];
  return withChecksum(Uint8Array.from([...head, ...body]));
}
