/** Options of an input's stream: read from the API, stored with the address, and shown again. */
import type { InputConfig } from '../contract/inputs.ts';
import type { ShownConfig } from '../contract/outputs.ts';
import { fieldError } from './hub-error.ts';
import type { InputOptions } from './input-options.ts';
import type { NdiStream } from './ndi-address.ts';
import type { HttpStream, RtmpStream, SrtStream, StreamAddress, UdpStream } from './stream-address.ts';

export type StreamRole = 'input' | 'output';

export interface OptionSources {
  readonly role: StreamRole;
  readonly config: Pick<InputConfig, 'program' | 'audio-track' | 'buffer-duration'>;
  /** Options in the URL. */
  readonly url: Partial<InputOptions>;
  readonly kept: StreamAddress | undefined;
}

type TsStream = SrtStream | UdpStream | HttpStream;
const isTs = (address: StreamAddress): address is TsStream =>
  address.protocol === 'srt' || address.protocol === 'udp' || address.protocol === 'rtp' || address.protocol === 'http';

/** Have an optional jitter buffer, off by default. SRT has its latency, and pulled streams have their own buffer. */
type HeldStream = UdpStream | RtmpStream | NdiStream;
const isHeld = (address: StreamAddress): address is HeldStream =>
  address.protocol === 'udp' || address.protocol === 'rtp' || address.protocol === 'rtmp' || address.protocol === 'ndi';
const hasOwnBuffer = ({ protocol }: StreamAddress) => protocol === 'http' || protocol === 'rtsp';

/** Returns the address alone. */
export function withoutOptions(address: StreamAddress): StreamAddress {
  if (!isTs(address) && !isHeld(address)) return address;
  const { ts: _, ...whole } = address as TsStream;
  if (!isHeld(whole)) return whole;
  const { bufferMs: __, ...bare } = whole;
  return bare;
}

/** An omitted option is kept if the protocol stays the same. Throws a HubError that names the invalid field. */
export function withOptions(address: StreamAddress, sources: OptionSources): StreamAddress {
  return withBuffer(withChoice(address, sources), sources);
}

function withChoice(address: StreamAddress, { role, config, url, kept }: OptionSources): StreamAddress {
  const program = config.program ?? url.program;
  const audioTrack = config['audio-track'] ?? url.audioTrack;
  if (role === 'output' || !isTs(address)) {
    const fault = program ? 'program' : audioTrack ? 'audio-track' : undefined;
    if (fault) throw fieldError(`config.${fault}`, 'unsupported', 'only an input of a transport stream has it');
    return address;
  }
  const before = kept && isTs(kept) && kept.protocol === address.protocol ? kept.ts : undefined;
  const ts = {
    program: program ?? before?.program ?? 0,
    audioTrack: audioTrack ?? before?.audioTrack ?? 0,
  };
  return ts.program === 0 && ts.audioTrack === 0 ? address : { ...address, ts };
}

function withBuffer(address: StreamAddress, { role, config, url, kept }: OptionSources): StreamAddress {
  if (role === 'input' && hasOwnBuffer(address)) return address;
  const given = config['buffer-duration'] ?? url.bufferMs;
  if (role === 'output' || !isHeld(address)) {
    if (given) throw fieldError('config.buffer-duration', 'unsupported', 'neither an output nor SRT has it');
    return address;
  }
  const before = kept && isHeld(kept) && kept.protocol === address.protocol ? kept.bufferMs : undefined;
  const bufferMs = given ?? before ?? 0;
  return bufferMs === 0 ? address : { ...address, bufferMs };
}

export function showOptions(address: StreamAddress): Pick<ShownConfig, 'program' | 'audio-track' | 'buffer-duration'> {
  return {
    ...(isTs(address) && address.ts && { program: address.ts.program, 'audio-track': address.ts.audioTrack }),
    ...(isHeld(address) && address.bufferMs && { 'buffer-duration': address.bufferMs }),
  };
}
