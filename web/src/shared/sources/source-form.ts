/** The form of inputs and outputs: conversion of its fields to the API configuration, and their checks. */
import { NdiAddress } from '../../../../daemon/contract/ndi.ts';
import type { ShownConfig } from '../../../../daemon/contract/outputs.ts';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { type FieldFaults, faultAt, faultsOf } from '../../ui/form/schema-form.ts';
import { rtpForm, udpForm } from './forms/datagram-form.ts';
import { heldFields, InputOptions, isHeldByChoice, optionsOf } from './forms/input-options.ts';
import type { Known, ProtocolForm, SourceConfig } from './forms/protocol-form.ts';
import { httpForm, rtspForm } from './forms/pull-form.ts';
import { rtmpForm } from './forms/rtmp-form.ts';
import { rtspServerForm } from './forms/rtsp-server-form.ts';
import { srtForm } from './forms/srt-form.ts';
import { ndiFields, ndiOf, ndiValues } from './ndi-form.ts';
import { noSource, type SourceProtocol, type SourceValues } from './source-values.ts';

const ndiForm: ProtocolForm = {
  read: ({ ndi }) => (ndi === undefined ? {} : ndiValues(ndi)),
  write: (values) => ({ type: 1, ndi: ndiOf(values) }),
  schema: NdiAddress,
  ruled: ndiOf,
  fields: { ...heldFields, ...ndiFields },
  preview: ({ ndiName }) => (ndiName.trim() === '' ? undefined : `ndi://${ndiName.trim()}`),
};

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

/** A stored source as form values; secrets are returned empty, which leaves them unchanged. */
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

/** Outputs always send the whole stream. */
export function configOf(values: SourceValues, isInput = false): SourceConfig {
  const config = forms[values.protocol].write(values);
  return isInput ? { ...config, ...optionsOf(values) } : config;
}

/** `protocol` is the form's protocol, because several share members of the request. */
export function fieldOfPath(path: string, protocol: SourceProtocol): string {
  const [, form, member] = /^config(?:\.(srt|udp|rtp|ndi))?\.(.+)$/.exec(path) ?? [];
  if (member === undefined) return path;
  return forms[(form as SourceProtocol | undefined) ?? protocol].fields[member] ?? path;
}

export function checkSource(values: SourceValues, known: Known): FieldFaults {
  const { schema, ruled, fields, missing } = forms[values.protocol];
  const faults: FieldFaults = faultAt('name', SourceName, values.name);
  const add = (found: FieldFaults) => {
    for (const [member, rule] of Object.entries(found)) faults[fields[member] ?? member] ??= rule;
  };
  add(faultsOf(InputOptions, optionsOf(values)));
  add(faultsOf(schema, ruled(values)));
  return { ...missing?.(values, known), ...faults };
}

/** The address as a common URL; undefined while parts are missing. `hub`: the hub's host as seen by this browser. */
export function previewOf(values: SourceValues, hub: string, isInput: boolean): string | undefined {
  return forms[values.protocol].preview(values, hub, isInput);
}
