/** `DeviceFacts` of `get-summary-info` of Pro Convert encoders and decoders; any object of it may be missing. */
import { familyOfProduct, serialParts } from '../../contract/device-catalog.ts';
import type { DeviceFacts, DeviceIdentity } from '../../contract/device-facts.ts';
import type { Answer } from '../answer.ts';
import { DeviceProblem } from '../problem.ts';
import { clipped, nameServersOf, rounded } from '../units.ts';
import { sourceAddress, sourceProtocol } from './presets.ts';

/** Rejects an answer without serial number. */
export function identityOf(summary: Answer): DeviceIdentity {
  const device = summary.part('device');
  const sn = device.text('serial-no');
  if (sn === undefined) throw new DeviceProblem('invalidAnswer', 'get-summary-info: no serial number');
  const fromSerial = serialParts(sn);
  return {
    sn,
    name: device.text('name') ?? sn,
    api: 'mwapi',
    'product-id': device.integer('product-id') ?? fromSerial?.productId ?? 0,
    model: device.text('model') ?? '',
    'hardware-ver': device.text('hw-revision') ?? fromSerial?.hardwareVersion ?? '',
    'firmware-ver': device.text('fw-version') ?? '',
  };
}

/** Of unknown products, only encoders state an input. */
export function isDecoder(summary: Answer): boolean {
  const family = familyOfProduct(identityOf(summary)['product-id']);
  if (family === 'proConvertEncoder' || family === 'proConvertDecoder') return family === 'proConvertDecoder';
  return !summary.part('device').has('input-state');
}

export function factsOf(summary: Answer, update: Answer | undefined): DeviceFacts {
  const [device, ndi, ethernet] = [summary.part('device'), summary.part('ndi'), summary.part('ethernet')];
  const memory = device.number('memory-usage');
  const isUpdating = update?.text('state') === 'updating';
  return {
    identity: identityOf(summary),
    ethernet: portOf(ethernet),
    usb: summary.has('rndis') ? portOf(summary.part('rndis')) : undefined,
    'uptime-s': device.number('up-time'),
    cpu: device.number('cpu-usage'),
    memory: memory === undefined ? undefined : rounded(memory),
    temperature: device.number('core-temp'),
    disks: [],
    ...(isDecoder(summary) ? decoderFacts(device, ndi, ethernet) : encoderFacts(device, ndi, ethernet)),
    tasks: isUpdating ? ['updating'] : [],
    upgrade: isUpdating ? { step: stepOf(update), percent: update.number('step-percent') ?? 0 } : undefined,
  };
}

function stepOf(update: Answer): string {
  const [name, id, count] = [update.text('step-name'), update.text('step-id'), update.text('num-steps')];
  const place = id !== undefined && count !== undefined ? `(${id} of ${count})` : '';
  return clipped(`${name ?? ''} ${place}`.trim());
}

type FamilyFacts = Pick<
  DeviceFacts,
  'signal' | 'screen' | 'main' | 'audio' | 'streams' | 'source' | 'ndi' | 'warnings'
>;

function encoderFacts(device: Answer, ndi: Answer, ethernet: Answer): FamilyFacts {
  const signal = inputOf(device.text('input-state'));
  const [name, enabled] = [ndi.text('name'), ndi.flag('enabled') ?? false];
  const kbps = ndi.number('video-bit-rate');
  return {
    signal,
    main: ndi.number('video-width') ? { ...pictureOf(ndi), 'cur-kbps': kbps } : undefined,
    audio: audioOf(ndi),
    streams:
      name === undefined
        ? []
        : [{ id: 'ndi', name, protocol: 'NDI', ...stateOf(enabled), kbps, clients: ndi.number('num-clients') }],
    ndi:
      name === undefined
        ? undefined
        : {
            name,
            enabled,
            clients: ndi.number('num-clients'),
            'on-preview': ndi.flag('tally-preview'),
            'on-program': ndi.flag('tally-program'),
          },
    warnings: warningsOf(signal, ethernet),
  };
}

function decoderFacts(device: Answer, ndi: Answer, ethernet: Answer): FamilyFacts {
  const [name, url, connected] = [ndi.text('name'), ndi.text('url', 1024), ndi.flag('connected') ?? false];
  const screen = device.text('output-state');
  const isSelected = name !== undefined || url !== undefined;
  const source = { name: name ?? '', address: sourceAddress(url), connected };
  const rate = ndi.number('audio-sample-rate');
  const signal: DeviceFacts['signal'] = connected
    ? { state: 'present', ...pictureOf(ndi), ...(rate && { 'sample-rate': rate }) }
    : { state: 'none' };
  return {
    signal,
    screen: screen === undefined ? undefined : screen !== 'unconnected',
    audio: audioOf(ndi),
    streams: isSelected
      ? [
          {
            ...{ id: 'source', name: source.name, protocol: sourceProtocol(url), address: source.address },
            state: connected ? 'running' : 'connecting',
            kbps: connected ? ndi.number('video-bit-rate') : undefined,
          },
        ]
      : [],
    source: isSelected ? source : undefined,
    warnings: warningsOf(isSelected ? signal : undefined, ethernet),
  };
}

const stateOf = (isOn: boolean) => ({ state: isOn ? ('running' as const) : ('off' as const) });

export function portOf(port: Answer): NonNullable<DeviceFacts['ethernet']> {
  const state = port.text('state');
  const mbps = Number(/^(\d+)m$/i.exec(state ?? '')?.[1] ?? 0);
  return {
    address: port.text('ip-addr'),
    mask: port.text('ip-mask'),
    gateway: port.text('gw-addr'),
    dns: nameServersOf(port.text('dns-addr')),
    mac: port.text('mac-addr'),
    dhcp: port.flag('use-dhcp'),
    up: state === undefined ? undefined : state !== 'down' && state !== 'disconnected',
    'link-mbps': mbps > 0 ? mbps : undefined,
    'rx-kbps': port.number('rx-speed-kbps'),
    'tx-kbps': port.number('tx-speed-kbps'),
  };
}

/** Reads a state, or a format such as "1920x1080i59.94", whose rate is the one of fields. */
export function inputOf(text: string | undefined): DeviceFacts['signal'] {
  if (text === undefined) return undefined;
  if (text === 'no-signal') return { state: 'none' };
  if (text === 'locking' || text === 'unsupported') return { state: text };
  const [, width, height, scan, rate] = /^(\d{2,5})x(\d{2,5})\s*([pi])?([\d.]{1,8})?/.exec(text) ?? [];
  const interlaced = scan === 'i';
  const fps = Number(rate);
  return {
    state: 'present',
    text,
    ...(width && { width: Number(width), height: Number(height), interlaced }),
    ...(fps > 0 && { fps: interlaced ? rounded(fps / 2) : fps }),
  };
}

function pictureOf(ndi: Answer) {
  const interlaced = ndi.text('video-scan') === 'interlaced';
  const rate = ndi.number('video-field-rate');
  return {
    width: ndi.number('video-width'),
    height: ndi.number('video-height'),
    interlaced,
    fps: rate ? rounded(interlaced ? rate / 2 : rate) : undefined,
  };
}

function audioOf(ndi: Answer): DeviceFacts['audio'] {
  const channels = ndi.number('audio-num-channels');
  if (!channels) return undefined;
  return { channels, 'sample-rate': ndi.number('audio-sample-rate'), 'cur-kbps': ndi.number('audio-bit-rate') };
}

function warningsOf(signal: DeviceFacts['signal'], ethernet: Answer): DeviceFacts['warnings'] {
  const warnings: DeviceFacts['warnings'] = [];
  if (signal?.state === 'none') warnings.push('noSignal');
  if (signal?.state === 'unsupported') warnings.push('unsupportedSignal');
  if (['down', 'disconnected'].includes(ethernet.text('state') ?? '')) warnings.push('networkDown');
  return warnings;
}
