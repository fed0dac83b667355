/** Options of an input's stream: read from the API, stored with the address, and shown again. */
import type { InputConfig } from '../contract/inputs.ts';
import { limits } from '../contract/limits.ts';
import type { ShownConfig } from '../contract/outputs.ts';
import { fieldError, type HubError } from '../lib/hub-error.ts';
import type { StreamAddress, TsChoice } from './stream-address.ts';
import type { StreamOptions } from './url-options.ts';

export type StreamRole = 'input' | 'output';
type Protocol = StreamAddress['protocol'];

const tsProtocols: ReadonlySet<Protocol> = new Set(['srt', 'udp', 'rtp', 'http'] as const);
const isPulled = ({ protocol }: StreamAddress) => protocol === 'http' || protocol === 'rtsp';

interface Options {
  readonly ts?: TsChoice;
  readonly bufferMs?: number;
}
const optionsIn = (address: StreamAddress): Options => ('ts' in address || 'bufferMs' in address ? address : {});

/** Returns the address alone, a pulled one with the default buffer. */
export function withoutOptions(address: StreamAddress): StreamAddress {
  const { ts: _, bufferMs, ...bare } = address as StreamAddress & Options;
  return (
    isPulled(address) && bufferMs !== undefined ? { ...bare, bufferMs: limits.bufferDuration.default } : bare
  ) as StreamAddress;
}

/** The options with which an address is stored. */
export function optionsOf(address: StreamAddress): StreamOptions {
  const { ts, bufferMs } = optionsIn(address);
  return {
    program: ts?.program ?? 0,
    'audio-track': ts?.audioTrack ?? 0,
    'buffer-duration': bufferMs ?? 0,
    ...('tcpFirst' in address && { 'tcp-first': address.tcpFirst }),
  };
}

/**
 * Adds the options of `config`, which include those of the URL. A URL is complete: an option that it omits has its
 * default. Without one, an omitted option is kept if the protocol stays the same. Throws a HubError that names the
 * invalid field.
 */
export function withOptions(
  address: StreamAddress,
  role: StreamRole,
  config: StreamOptions & Pick<InputConfig, 'url'>,
  kept: StreamAddress | undefined,
): StreamAddress {
  const isKept = config.url === undefined && kept?.protocol === address.protocol;
  const before = isKept ? optionsIn(kept) : {};
  const hasChoice = role === 'input' && tsProtocols.has(address.protocol);
  const hasBuffer = role === 'input' && address.protocol !== 'srt';
  if (!hasChoice) refuseChoice(config);
  if (!hasBuffer && config['buffer-duration']) {
    throw fieldError('config.buffer-duration', 'unsupported', 'not available for outputs and for SRT');
  }
  return {
    ...address,
    ...(hasChoice && choiceOf(config, before.ts)),
    ...(hasBuffer && bufferOf(address, config['buffer-duration'] ?? before.bufferMs)),
  };
}

function refuseChoice({ program, 'audio-track': audioTrack }: StreamOptions): void {
  const refused = program ? 'program' : audioTrack ? 'audio-track' : undefined;
  if (refused) throw fieldError(`config.${refused}`, 'unsupported', 'only available for inputs of transport streams');
}

function choiceOf(config: StreamOptions, before: TsChoice | undefined): Pick<Options, 'ts'> {
  const program = config.program ?? before?.program ?? 0;
  const audioTrack = config['audio-track'] ?? before?.audioTrack ?? 0;
  return program === 0 && audioTrack === 0 ? {} : { ts: { program, audioTrack } };
}

/** Pulled streams always have a buffer; SRT has its latency. */
function bufferOf(address: StreamAddress, bufferMs: number | undefined): Pick<Options, 'bufferMs'> {
  if (!isPulled(address)) return bufferMs ? { bufferMs } : {};
  if (bufferMs === 0) throw noBuffer('config.buffer-duration');
  return { bufferMs: bufferMs ?? limits.bufferDuration.default };
}

export function noBuffer(path: string): HubError {
  return fieldError(path, 'range', 'the buffer of a pulled input is at least 1 ms');
}

export function showOptions(address: StreamAddress): Pick<ShownConfig, 'program' | 'audio-track' | 'buffer-duration'> {
  const { ts, bufferMs } = optionsIn(address);
  return {
    ...(ts && { program: ts.program, 'audio-track': ts.audioTrack }),
    ...(bufferMs && { 'buffer-duration': bufferMs }),
  };
}
