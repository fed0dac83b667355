/** Form fields of inputs and outputs for all protocols: typed values persist when another protocol is selected. */
import { limits } from '../../../../daemon/contract/limits.ts';
import { type NdiValues, noNdi } from './ndi-form.ts';

/** Inputs pull RTSP, outputs serve it. */
export type SourceProtocol = 'rtmp' | 'srt' | 'udp' | 'rtp' | 'rtsp' | 'rtspServer' | 'http' | 'ndi';

/** Numbers are kept as typed text. */
export interface SourceValues extends NdiValues {
  readonly name: string;
  readonly protocol: SourceProtocol;
  /** Whether a stream key or stream ID is stored that the hub does not show; it is kept if the field is left empty. */
  readonly isKeyKept: boolean;
  readonly rtmpUrl: string;
  readonly rtmpKey: string;
  readonly rtmpAuth: boolean;
  readonly rtmpUser: string;
  readonly rtmpPassword: string;
  readonly srtMode: 'caller' | 'listener';
  readonly srtHost: string;
  readonly srtPort: string;
  readonly srtLatency: string;
  readonly srtOverhead: string;
  readonly srtStreamId: string;
  readonly srtKeyLength: string;
  readonly srtPassphrase: string;
  readonly srtMaxConnections: string;
  readonly pullUrl: string;
  readonly pullTcpFirst: boolean;
  readonly pullBuffer: string;
  readonly pullAuth: boolean;
  readonly pullUser: string;
  readonly pullPassword: string;
  readonly servedPort: string;
  readonly servedKey: string;
  readonly servedMaxClients: string;
  readonly servedAuth: boolean;
  readonly servedUser: string;
  readonly servedPassword: string;
  readonly udpHost: string;
  readonly udpPort: string;
  readonly udpTtl: string;
  readonly udpInterface: string;
  readonly udpSource: string;
  /** For UDP, RTP, RTMP and NDI; empty for no buffering. */
  readonly heldFor: string;
  /** Empty for the first program or, without a track too, for the whole stream. */
  readonly tsProgram: string;
  /** Empty for all tracks. */
  readonly tsAudioTrack: string;
}

export const noSource: SourceValues = {
  ...noNdi,
  name: '',
  protocol: 'srt',
  isKeyKept: false,
  rtmpUrl: '',
  rtmpKey: '',
  rtmpAuth: false,
  rtmpUser: '',
  rtmpPassword: '',
  srtMode: 'caller',
  srtHost: '',
  srtPort: '',
  srtLatency: String(limits.latency.default),
  srtOverhead: '',
  srtStreamId: '',
  srtKeyLength: '0',
  srtPassphrase: '',
  srtMaxConnections: String(limits.maxConnections.default),
  pullUrl: '',
  pullTcpFirst: true,
  pullBuffer: String(limits.bufferDuration.default),
  pullAuth: false,
  pullUser: '',
  pullPassword: '',
  servedPort: '8554',
  servedKey: '',
  servedMaxClients: String(limits.maxConnections.default),
  servedAuth: false,
  servedUser: '',
  servedPassword: '',
  udpHost: '',
  udpPort: '',
  udpTtl: String(limits.ttl.default),
  udpInterface: '',
  udpSource: '',
  heldFor: '',
  tsProgram: '',
  tsAudioTrack: '',
};

export function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
