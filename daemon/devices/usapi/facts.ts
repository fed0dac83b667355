/** `DeviceFacts` of the answers of Ultra Stream and Ultra Encode, of which any object may be missing. */
import { serialParts } from '../../contract/device-catalog.ts';
import type { DeviceFacts, DeviceIdentity } from '../../contract/device-facts.ts';
import type { Answer } from '../answer.ts';
import { DeviceProblem } from '../problem.ts';
import { clipped, fpsOf, kbpsOf, nameServersOf, rounded, secondsOf } from '../units.ts';
import { statusBits, usapi, usapiCodes } from './client.ts';
import { addressOf, protocolOf, type StreamServer, type UsapiSettings } from './settings.ts';

type Stream = DeviceFacts['streams'][number];
type Disk = DeviceFacts['disks'][number];

/** What changes only with the firmware. */
export interface UsapiInfo {
  readonly identity: DeviceIdentity;
  readonly mac: string | undefined;
  /** Path of the preview picture. */
  readonly snapshot: string | undefined;
}

/** Rejects an answer without serial number. */
export function infoOf(info: Answer): UsapiInfo {
  const product = info.part('product');
  const sn = product.text('sn');
  if (sn === undefined) throw new DeviceProblem('invalidAnswer', 'get-info: no serial number');
  const fromSerial = serialParts(sn);
  const identity = {
    sn,
    name: sn,
    api: 'usapi',
    'product-id': product.integer('product-id') ?? fromSerial?.productId ?? 0,
    model: product.text('module-name') ?? product.text('product-name') ?? '',
    'hardware-ver': product.text('hardware-ver') ?? fromSerial?.hardwareVersion ?? '',
    'firmware-ver': product.text('firmware-ver-s') ?? '',
  } as const;
  const snapshot = ['snapshot', 'main-snapshot'].map((name) => info.text(name)).find((path) => path?.startsWith('/'));
  return { identity, mac: info.part('mac-addr').text('eth'), snapshot };
}

export function factsOf(info: UsapiInfo, status: Answer, settings: UsapiSettings | undefined): DeviceFacts {
  const mask = status.integer('cur-status');
  const has = (bit: number) => ((mask ?? 0) & bit) !== 0;
  const [live, rec, system, upgrade] = ['live-status', 'rec-status', 'sysstat', 'upgrade-status'].map((name) =>
    status.part(name),
  ) as [Answer, Answer, Answer, Answer];
  const memory = system.number('mem-total');
  const temperature = status.number('cpu-temperature');
  const living = mask === undefined ? isRunning(live.number('result')) : has(statusBits.living);
  const [eth, disks] = [status.part('eth'), disksOf(status, has(statusBits.usbDisk))];
  const isUpdating = upgrade.number('result') === usapiCodes.running;
  return {
    identity: { ...info.identity, name: status.text('box-name') ?? settings?.name ?? info.identity.name },
    ethernet: { ...portOf(eth, system, 'eth'), mac: info.mac },
    wifi: status.part('wifi').text('ip') ? portOf(status.part('wifi'), system, 'wlan') : undefined,
    usb: status.part('rndis').text('ip') ? portOf(status.part('rndis'), system, 'rndis') : undefined,
    'uptime-s': system.number('uptime'),
    cpu: system.number('cpu-usage'),
    memory:
      memory !== undefined && memory >= 1
        ? rounded(100 * (1 - (system.number('mem-free') ?? memory) / memory))
        : undefined,
    temperature: temperature === undefined ? undefined : rounded(temperature / 1000),
    signal: signalOf(status.part('input-signal')),
    ...codecsOf(status.part('codec'), settings),
    recording: mask === undefined ? isRunning(rec.number('result')) : has(statusBits.recording),
    living,
    'recording-s': has(statusBits.recording) ? secondsOf(rec.number('run-ms')) : undefined,
    'living-s': living === true ? secondsOf(live.number('run-ms')) : undefined,
    streams: streamsOf(live, living === true, settings?.servers ?? []),
    disks,
    ndi: ndiOf(status.part('ndi-tally'), settings?.servers ?? []),
    warnings: warningsOf(status.part('input-signal'), rec, disks),
    tasks: tasksOf(has, isUpdating),
    upgrade: isUpdating
      ? { step: clipped(`step ${upgrade.text('step') ?? 0}`), percent: upgrade.number('percent') ?? 0 }
      : undefined,
    'cur-status': mask,
  };
}

function isRunning(result: number | undefined): boolean | undefined {
  return result === undefined ? undefined : result === usapiCodes.running || result === usapiCodes.connected;
}

function portOf(port: Answer, system: Answer, name: string) {
  const speed = port.number('link-speed');
  return {
    address: port.text('ip'),
    mask: port.text('mask'),
    gateway: port.text('router'),
    dns: nameServersOf(port.text('dns')),
    dhcp: port.flag('is-dhcp'),
    up: port.flag('link-state') ?? (speed === undefined ? undefined : speed > 0),
    'link-mbps': speed !== undefined && speed > 0 ? speed : undefined,
    'rx-kbps': kbpsOf(system.number(`${name}-rx`)),
    'tx-kbps': kbpsOf(system.number(`${name}-tx`)),
  };
}

function signalOf(signal: Answer): DeviceFacts['signal'] {
  const isPresent = signal.flag('status');
  if (isPresent === undefined) return undefined;
  if (!isPresent) return { state: 'none' };
  return {
    state: 'present',
    width: signal.number('cx'),
    height: signal.number('cy'),
    interlaced: signal.flag('interlaced'),
    fps: fpsOf(signal.number('frame-duration')) ?? signal.number('frame-rate'),
    'sample-rate': signal.number('sample-rate'),
  };
}

function codecsOf(codec: Answer, settings: UsapiSettings | undefined) {
  const video = (name: string, standard: string | undefined) => {
    const stream = codec.part(name);
    if (!stream.has('cx') || stream.flag('enable') === false) return undefined;
    return {
      codec: standard,
      width: stream.number('cx'),
      height: stream.number('cy'),
      fps: fpsOf(stream.number('duration')),
      kbps: stream.number('kbps'),
      'cur-kbps': kbpsOf(stream.number('cur-bps')),
    };
  };
  const audio = codec.part('audio');
  return {
    main: video('main-stream', settings?.mainCodec),
    sub: video('sub-stream', settings?.subCodec),
    audio: audio.has('channels')
      ? {
          codec: 'AAC',
          channels: audio.number('channels'),
          'sample-rate': settings?.sampleRate,
          kbps: audio.number('kbps'),
          'cur-kbps': kbpsOf(audio.number('cur-bps')),
        }
      : undefined,
  };
}

/** All servers of the settings, with their state; and those that only the state lists. */
function streamsOf(live: Answer, isLiving: boolean, servers: readonly StreamServer[]): Stream[] {
  if (live.has('result2')) return twoStreamsOf(live, isLiving, servers);
  const states = new Map(live.list('live').map((entry) => [entry.text('id') ?? '', entry]));
  const listed = servers.map((server) => {
    const entry = states.get(`${server.id}`);
    states.delete(`${server.id}`);
    const base = {
      id: `${server.id}`,
      name: server.name,
      protocol: protocolOf(server.type),
      address: addressOf(server),
    };
    return entry === undefined ? { ...base, state: 'off' as const } : { ...base, ...liveOf(entry, isLiving) };
  });
  const others = [...states].map(([id, entry]) => ({
    id,
    name: entry.text('name') ?? id,
    protocol: protocolOf(entry.number('type')),
    ...liveOf(entry, isLiving),
  }));
  return [...listed, ...others].slice(0, 64);
}

function liveOf(entry: Answer, isLiving: boolean) {
  // Older firmware spells the schedule's flag otherwise.
  const isScheduled = entry.flag('is-skd-running') ?? entry.flag('is-skd-runnung') ?? false;
  const isOn = isScheduled || (isLiving && entry.flag('is-use') !== false);
  const [ip, port] = [entry.text('ip-addr'), entry.number('port')];
  const bytesPerSecond = entry.number('inst-bps');
  return {
    ...(ip !== undefined && port !== undefined && { address: clipped(`srt://${ip}:${port}`) }),
    ...stateOf(isOn ? entry.number('result') : usapiCodes.idle),
    kbps: isOn && bytesPerSecond !== undefined ? kbpsOf(bytesPerSecond * 8) : undefined,
    'run-s': isOn ? secondsOf(entry.number('run-ms')) : undefined,
    'rtt-ms': isOn ? entry.number('rrt-ms') : undefined,
    clients: entry.number('num-clients'),
  };
}

/** Ultra Stream sends to two servers, whose states are not in a list: those in use, in this order. */
function twoStreamsOf(live: Answer, isLiving: boolean, servers: readonly StreamServer[]): Stream[] {
  let used = 0;
  return servers.map((server) => {
    const suffix = server.isUsed ? ['', '2'][used++] : undefined;
    const isOn = isLiving && suffix !== undefined;
    return {
      id: `${server.id}`,
      name: server.name,
      protocol: protocolOf(server.type),
      address: addressOf(server),
      ...stateOf(isOn ? live.number(`result${suffix}`) : usapiCodes.idle),
      kbps: isOn ? kbpsOf(live.number(`cur-bps${suffix}`)) : undefined,
      'run-s': isOn ? secondsOf(live.number('run-ms')) : undefined,
    };
  });
}

function stateOf(code: number | undefined): Pick<Stream, 'state' | 'reason'> {
  if (code === undefined || code === usapiCodes.idle || code === usapiCodes.canceled) return { state: 'off' };
  if (code === usapiCodes.connected || code === usapiCodes.running) return { state: 'running' };
  const isFailed = code < 0 || code === 29 || code === 30;
  return isFailed ? { state: 'failed', reason: usapi.textOf(code) } : { state: 'connecting' };
}

const diskKinds = ['usb', 'sd', 'nas'] as const;

function disksOf(status: Answer, isUsbReady: boolean): Disk[] {
  const listed = status.list('disk-info').flatMap((disk): Disk[] => {
    const kind = diskKinds[disk.number('disk-type') ?? -1];
    return kind === undefined ? [] : [diskOf(kind, disk)];
  });
  // Ultra Stream has an object for each kind instead of the list.
  const alone = (['usb', 'sd'] as const).filter((kind) => listed.length === 0 && status.part(kind).has('total-size'));
  const disks = [...listed, ...alone.map((kind) => diskOf(kind, status.part(kind)))];
  if (disks.length === 0 && isUsbReady) return [{ kind: 'usb', state: 'ready' }];
  return disks.filter(({ kind, state }) => kind !== 'nas' || state !== 'missing').slice(0, 16);
}

function diskOf(kind: Disk['kind'], disk: Answer): Disk {
  const total = disk.number('total-size') ?? 0;
  if (total <= 0) return { kind, state: 'missing' };
  const free = disk.number('free-size');
  const isFull = free !== undefined && free <= (disk.number('resv-size') ?? 0);
  return {
    kind,
    state: isFull ? 'full' : 'ready',
    'total-bytes': total,
    'free-bytes': free,
    'free-s': disk.number('free-sec'),
  };
}

function ndiOf(tally: Answer, servers: readonly StreamServer[]): DeviceFacts['ndi'] {
  const ndi = servers.find(({ type }) => protocolOf(type) === 'NDI HX');
  if (ndi === undefined) return undefined;
  return {
    name: ndi.fields.text('source-name') ?? ndi.name,
    enabled: ndi.isUsed,
    'on-preview': tally.flag('on-preview'),
    'on-program': tally.flag('on-program'),
  };
}

function warningsOf(signal: Answer, rec: Answer, disks: readonly Disk[]): DeviceFacts['warnings'] {
  const codes = [rec, ...rec.list('rec')].map((one) => one.number('result'));
  const isAny = (...wanted: number[]) => codes.some((code) => code !== undefined && wanted.includes(code));
  const warnings: DeviceFacts['warnings'] = [];
  if (signal.flag('status') === false) warnings.push('noSignal');
  if (isAny(usapiCodes.diskLow, -16) || disks.some(({ state }) => state === 'full')) warnings.push('diskFull');
  if (isAny(usapiCodes.diskSlow, -19)) warnings.push('diskSlow');
  return warnings;
}

function tasksOf(has: (bit: number) => boolean, isUpdating: boolean): DeviceFacts['tasks'] {
  const tasks: DeviceFacts['tasks'] = [];
  if (isUpdating || has(statusBits.updating)) tasks.push('updating');
  if (has(statusBits.resetting)) tasks.push('resetting');
  if (has(statusBits.rebooting)) tasks.push('rebooting');
  if (has(statusBits.formattingUsb | statusBits.formattingSd)) tasks.push('formatting');
  if (has(statusBits.diskTest | statusBits.streamTest | statusBits.serverTest)) tasks.push('testing');
  if (has(statusBits.loading)) tasks.push('loading');
  return tasks;
}
