/** `DeviceFacts` of `system/summary`, and of the receivers of audio converters. */
import { familyOfProduct, serialParts } from '../../contract/device-catalog.ts';
import type { DeviceFacts, DeviceIdentity } from '../../contract/device-facts.ts';
import type { Answer } from '../answer.ts';
import type { FirmwareState } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { clipped, secondsOf } from '../units.ts';

/** Rejects an answer without serial number. */
export function identityOf(summary: Answer): DeviceIdentity {
  const sn = summary.text('serial-number');
  if (sn === undefined) throw new DeviceProblem('invalidAnswer', 'system/summary: no serial number');
  const fromSerial = serialParts(sn);
  return {
    sn,
    name: summary.text('device-name') ?? sn,
    api: 'apiPath',
    'product-id': summary.integer('product-id') ?? fromSerial?.productId ?? 0,
    model: summary.text('product-name') ?? '',
    'hardware-ver': summary.text('hardware-rev') ?? fromSerial?.hardwareVersion ?? '',
    'firmware-ver': summary.text('firmware-ver') ?? '',
  };
}

const familyOf = (summary: Answer) => familyOfProduct(identityOf(summary)['product-id']);

export const isAudio = (summary: Answer): boolean => familyOf(summary) === 'proConvertAudio';

/** Of unknown products, only decoders state what their profile plays. */
export function isDecoder(summary: Answer): boolean {
  const family = familyOf(summary);
  return family === 'proConvertDecoder' || (family === 'others' && summary.has('profile'));
}

/** `update`: answer of `upgrade/state`; `receivers`: of `ndi/receiver-info`. */
export function factsOf(summary: Answer, update?: Answer, receivers?: Answer): DeviceFacts {
  const upgrade = upgradeOf(update);
  return {
    identity: identityOf(summary),
    'uptime-s': summary.number('uptime'),
    temperature: summary.number('core-temp'),
    disks: [],
    ...(isDecoder(summary) ? decoderFacts(summary) : audioFacts(receivers)),
    tasks: upgrade === undefined ? [] : ['updating'],
    upgrade,
  };
}

type StreamFacts = Pick<DeviceFacts, 'signal' | 'audio' | 'streams' | 'source' | 'warnings'>;

/** The streams of the profile that is shown. What the integer `hdmi-state` means is not known. */
export const shownNames = (summary: Answer): (string | undefined)[] =>
  summary
    .part('profile')
    .list('streams')
    .map((stream) => stream.text('name'));

function decoderFacts(summary: Answer): StreamFacts {
  const streams = summary
    .part('profile')
    .list('streams')
    .map((stream, index) => {
      const kbps = stream.part('video').number('kbps');
      return {
        id: `source-${index}`,
        name: stream.text('name') ?? '',
        protocol: stream.text('protocol') ?? '',
        state: kbps !== undefined && kbps > 0 ? ('running' as const) : ('connecting' as const),
        kbps,
      };
    });
  const [first] = streams;
  if (first === undefined) return { streams, warnings: [] };
  const connected = first.state === 'running';
  return {
    signal: first.kbps === undefined ? undefined : { state: connected ? 'present' : 'none' },
    streams,
    source: { name: first.name, connected },
    warnings: first.kbps === undefined || connected ? [] : ['noSignal'],
  };
}

function audioFacts(receivers: Answer | undefined): StreamFacts {
  const all = (receivers?.list('ndi') ?? []).map((receiver, index) => {
    const report = receiver.part('report');
    const isConnected = report.flag('is-connected') ?? false;
    const address = receiver.text('url');
    return {
      receiver,
      stream: {
        id: `ndi-${receiver.integer('uid') ?? index}`,
        name: receiver.text('alias') ?? receiver.text('ndi-name') ?? '',
        protocol: 'NDI',
        address: address === undefined ? undefined : clipped(address),
        state: stateOf(receiver.flag('enable') ?? true, isConnected),
        kbps: isConnected ? report.number('audio-kbps') : undefined,
        'run-s': isConnected ? secondsOf(report.number('living-time-ms')) : undefined,
      },
    };
  });
  const format = all.find(({ stream }) => stream.state === 'running')?.receiver.part('format');
  return {
    audio:
      format === undefined
        ? undefined
        : { channels: format.number('channel-num'), 'sample-rate': format.number('sample-rate') },
    streams: all.map(({ stream }) => stream),
    warnings: [],
  };
}

function stateOf(isEnabled: boolean, isConnected: boolean): DeviceFacts['streams'][number]['state'] {
  if (!isEnabled) return 'off';
  return isConnected ? 'running' : 'connecting';
}

/** States of an upgrade; some firmware writes them as words. */
const states: ReadonlyMap<string, FirmwareState> = new Map([
  ...['1', '2', '4', 'init', 'upgrading', 'downloading'].map((state) => [state, 'writing'] as const),
  ...['3', 'done'].map((state) => [state, 'written'] as const),
  ...['-1', 'failed'].map((state) => [state, 'failed'] as const),
]);

export const upgradeState = (update: Answer): FirmwareState =>
  states.get(update.text('state')?.toLowerCase() ?? '') ?? 'idle';

export function upgradeOf(update: Answer | undefined): DeviceFacts['upgrade'] {
  if (update === undefined || upgradeState(update) !== 'writing') return undefined;
  const [name, step, count] = [update.text('step-name'), update.text('step'), update.text('num-steps')];
  const place = step !== undefined && count !== undefined ? `(${step} of ${count})` : '';
  return {
    step: clipped(`${name ?? ''} ${place}`.trim()),
    percent: update.number('step-progress') ?? update.number('download-percent') ?? 0,
  };
}
