/** The form of inputs and outputs: what its fields become on the wire, and which rules they break. */
import * as z from 'zod/mini';
import type { ShownConfig } from '../../../../daemon/contract/outputs.ts';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { type FieldFaults, faultsOf } from '../../lib/schema-form.ts';
import { rtpForm, udpForm } from './forms/datagram-form.ts';
import { InputOptions, isHeldByChoice, optionsOf } from './forms/input-options.ts';
import { ndiForm } from './forms/ndi-form.ts';
import type { Known, ProtocolForm, SourceConfig } from './forms/protocol-form.ts';
import { httpForm, rtspForm } from './forms/pull-form.ts';
import { rtmpForm } from './forms/rtmp-form.ts';
import { rtspServerForm } from './forms/rtsp-server-form.ts';
import { srtForm } from './forms/srt-form.ts';
import { noSource, type SourceProtocol, type SourceValues } from './source-values.ts';

const forms: Readonly<Record<SourceProtocol, ProtocolForm>> = {
  rtmp: rtmpForm,
  srt: srtForm,
  udp: udpForm,
  rtp: rtpForm,
  rtsp: rtspForm,
  rtspServer: rtspServerForm,
  http: httpForm,
  ndi: ndiForm,
};

const textOf = (choice: number | undefined) => (choice ? String(choice) : '');

/** A stored source as form values; secrets come back empty, which leaves them as they are. */
export function valuesOf(source: { name: string; protocol: number; config: ShownConfig }): SourceValues {
  const { config } = source;
  const stored = protocolOf(source.protocol) ?? 'srt';
  const protocol = stored === 'rtsp' && config.port !== undefined ? 'rtspServer' : stored;
  return {
    ...noSource,
    name: source.name,
    protocol,
    heldFor: isHeldByChoice(protocol) ? textOf(config['buffer-duration']) : '',
    tsProgram: textOf(config.program),
    tsAudioTrack: textOf(config['audio-track']),
    ...forms[protocol].read(config),
  };
}

/** What an output sends is always whole. */
export function configOf(values: SourceValues, isInput = false): SourceConfig {
  const config = forms[values.protocol].write(values);
  return isInput ? { ...config, ...optionsOf(values) } : config;
}

/** `protocol` is the one of the form: several have members without a form of their own. */
export function fieldOfPath(path: string, protocol: SourceProtocol): string {
  const [, form, member] = /^config(?:\.(srt|udp|rtp|ndi))?\.(.+)$/.exec(path) ?? [];
  if (member === undefined) return path;
  return forms[(form as SourceProtocol | undefined) ?? protocol].fields[member] ?? path;
}

const Named = z.object({ name: SourceName });

export function checkSource(values: SourceValues, known: Known): FieldFaults {
  const { schema, ruled, fields, missing } = forms[values.protocol];
  const faults: FieldFaults = faultsOf(Named, { name: values.name });
  const add = (found: FieldFaults) => {
    for (const [member, rule] of Object.entries(found)) faults[fields[member] ?? member] ??= rule;
  };
  add(faultsOf(InputOptions, optionsOf(values)));
  add(faultsOf(schema, ruled(values)));
  return { ...missing?.(values, known), ...faults };
}

/** The address as others would write it; undefined while parts are missing. `hub`: how this browser reaches the hub. */
export function previewOf(values: SourceValues, hub: string, isInput: boolean): string | undefined {
  return forms[values.protocol].preview(values, hub, isInput);
}
