/** PAT and PMT of a program with one video and one audio stream (ISO/IEC 13818-1, 2.4.4). */
import { packetsOf, withChecksum } from '../mpegts/psi.ts';

export interface ProgramStreams {
  readonly video?: 'h264' | 'hevc' | 'mpeg2video' | 'mpeg4';
  readonly audio?: 'aac' | 'mpeg1audio' | 'mpeg2audio' | 'ac3' | 'eac3' | 'opus';
}
export type StreamCodec = NonNullable<ProgramStreams['video'] | ProgramStreams['audio']>;

export const pids = { pat: 0, pmt: 0x1000, video: 0x100, audio: 0x101 } as const;
const program = 1;
const noPid = 0x1fff;
const privateStream = 0xbd;
const registration = (name: string): number[] => [0x05, name.length, ...Buffer.from(name)];

interface StreamForm {
  /** Stream type (table 2-34); AC-3 and E-AC-3 as registered in ATSC A/52. */
  readonly type: number;
  /** Stream ID of its PES packets (table 2-22). */
  readonly streamId: number;
  readonly descriptors?: readonly number[];
}

const forms: Readonly<Record<StreamCodec, StreamForm>> = {
  mpeg2video: { type: 0x02, streamId: 0xe0 },
  mpeg4: { type: 0x10, streamId: 0xe0 },
  h264: { type: 0x1b, streamId: 0xe0 },
  hevc: { type: 0x24, streamId: 0xe0 },
  mpeg1audio: { type: 0x03, streamId: 0xc0 },
  mpeg2audio: { type: 0x04, streamId: 0xc0 },
  aac: { type: 0x0f, streamId: 0xc0 },
  ac3: { type: 0x81, streamId: privateStream, descriptors: registration('AC-3') },
  eac3: { type: 0x87, streamId: privateStream, descriptors: registration('EAC3') },
  // The second descriptor (DVB extension 0x80) signals stereo, which RTP always declares (RFC 7587, section 7).
  opus: { type: 0x06, streamId: privateStream, descriptors: [...registration('Opus'), 0x7f, 2, 0x80, 2] },
};

/** Returns the stream ID of the PES packets of a codec. */
export function streamIdOf(codec: StreamCodec): number {
  return forms[codec].streamId;
}

/** Returns the tables as one packet each, with continuity counter 0. */
export function programTables({ video, audio }: ProgramStreams, version: number) {
  const clockPid = video ? pids.video : audio ? pids.audio : noPid;
  const streams = [...(video ? entry(video, pids.video) : []), ...(audio ? entry(audio, pids.audio) : [])];
  return {
    pat: packetsOf(section(0, version, [0, program, 0xe0 | (pids.pmt >> 8), pids.pmt & 0xff]), pids.pat, 0),
    pmt: packetsOf(section(2, version, [0xe0 | (clockPid >> 8), clockPid & 0xff, 0xf0, 0, ...streams]), pids.pmt, 0),
  };
}

function entry(codec: StreamCodec, pid: number): number[] {
  const { type, descriptors = [] } = forms[codec];
  return [type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0, descriptors.length, ...descriptors];
}

function section(tableId: number, version: number, body: readonly number[]): Uint8Array {
  const length = 5 + body.length + 4;
  // Both tables have ID 1: the transport stream ID, and the program number.
  const head = [tableId, 0xb0 | (length >> 8), length & 0xff, 0, 1, 0xc1 | (version << 1), 0, 0];
  return withChecksum(Uint8Array.from([...head, ...body]));
}
