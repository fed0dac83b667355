/** `DeviceFacts` of what a Director states over OSC. */
import type { DeviceFacts, DeviceIdentity } from '../../contract/device-facts.ts';
import type { Answer } from '../answer.ts';
import type { OscDevice, StatusType } from '../driver.ts';

type Stream = DeviceFacts['streams'][number];

export const identityOf = ({ sn, name }: Pick<OscDevice, 'sn' | 'name'>): DeviceIdentity => ({
  ...{ sn, name, api: 'v1', 'product-id': 0, model: 'Director', 'hardware-ver': '', 'firmware-ver': '' },
});

/** `status` is empty if the device answers over HTTP only. */
export function factsOf(device: Pick<OscDevice, 'sn' | 'name'>, status: ReadonlyMap<StatusType, Answer>): DeviceFacts {
  const servers = serversOf(status.get('streaming'));
  return {
    identity: identityOf(device),
    recording: status.get('recording')?.part('recordStatus').flag('recording'),
    living: servers?.some((server) => server.flag('isStreaming') === true),
    scene: programOf(status.get('scene')),
    streams: (servers ?? []).filter(isConfigured).map(streamOf),
    disks: [],
    warnings: status.size === 0 ? ['stateUnknown'] : [],
    tasks: [],
  };
}

/** The servers to which the device can send; undefined if it did not state them. */
export const serversOf = (streaming: Answer | undefined): readonly Answer[] | undefined =>
  streaming?.has('serverList') ? streaming.list('serverList') : undefined;

export const isConfigured = (server: Answer): boolean => server.flag('isConfigured') !== false;

function programOf(scene: Answer | undefined): string | undefined {
  return scene
    ?.list('sceneList')
    .find((one) => one.flag('isPGM') === true)
    ?.text('name');
}

/** Of the text "11.23 Mbps". */
const kbpsPerUnit: Readonly<Record<string, number>> = { bps: 0.001, kbps: 1, mbps: 1000, gbps: 1_000_000 };

function streamOf(server: Answer, index: number): Stream {
  const isOn = server.flag('isStreaming') === true;
  const [, value, unit] = /^(\d{1,9}(?:\.\d{1,9})?) ?([kmg]?bps)$/i.exec(server.text('bitrate') ?? '') ?? [];
  const kbps = Number(value) * (kbpsPerUnit[unit?.toLowerCase() ?? ''] ?? Number.NaN);
  return {
    id: server.text('id') ?? `${index}`,
    name: server.text('name') ?? '',
    protocol: '',
    state: stateOf(server, isOn),
    ...(isOn && Number.isFinite(kbps) && { kbps: Math.round(kbps) }),
    ...(isOn && { 'run-s': secondsOf(server.text('duration')) }),
  };
}

/** Older firmware has no `status`. */
function stateOf(server: Answer, isOn: boolean): Stream['state'] {
  const status = server.integer('status');
  if (status === 3) return 'failed';
  if (!isOn) return 'off';
  return status === 2 || status === undefined ? 'running' : 'connecting';
}

/** Of "MM:SS" or "HH:MM:SS". */
function secondsOf(duration: string | undefined): number | undefined {
  const match = /^(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})$/.exec(duration ?? '');
  if (match === null) return undefined;
  const [hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
  return (hours * 60 + minutes) * 60 + seconds;
}
