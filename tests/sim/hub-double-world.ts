/** The data of the hub double: channels in every state, with changing numbers. */

import type { SessionUser } from '../../daemon/contract/auth.ts';
import type {
  Channel,
  ChannelClient,
  ChannelInput,
  ChannelOutput,
  ChannelState,
} from '../../daemon/contract/channels.ts';
import { defaultChannelNdi } from '../../daemon/contract/ndi.ts';
import { firstPasswordRule } from '../../daemon/contract/password-rule.ts';
import { allPermissions, defaultUserMask } from '../../daemon/contract/permission.ts';
import type { SystemStatus } from '../../daemon/contract/system.ts';

const names = [
  'Studio 1 PGM',
  'Studio 1 clean',
  'OB van north',
  'Stadium wide',
  'Press room',
  'Roof camera',
  'Backup link',
  'Lobby',
  'Test card',
];
const stateCycle: readonly ChannelState[] = [
  'live',
  'live',
  'stale',
  'live',
  'waiting',
  'failed',
  'disabled',
  'live',
  'waiting',
];

function inputOf(state: ChannelState, index: number): ChannelInput {
  const isLive = state === 'live';
  return {
    role: 'main',
    id: 0,
    name: '',
    type: 260,
    protocol: index % 2 ? 2 : 1,
    addr: isLive || state === 'stale' ? `192.168.10.${20 + index}:51${index}44` : '',
    'conn-state': { live: 10, slate: 10, stale: 2, waiting: 0, failed: 25, disabled: 0, engineDown: 0 }[state],
    state: isLive ? 2 : 0,
    ...(state === 'failed' && { reason: 'noSync' }),
    ...(state === 'stale' && { reason: 'stalled' }),
    kbps: isLive ? 6000 : 0,
    'total-bytes': isLive ? 1e9 : 0,
    'living-time-s': isLive ? 3600 * (index + 1) : 0,
    ...(index % 2 && isLive
      ? { report: { 'rtt-ms': 12.4, 'pkt-loss': 3, 'pkt-retrans-total': 3, 'pkt-drop-total': 0, 'buffer-ms': 118 } }
      : {}),
    ...(isLive && {
      media: {
        container: index % 2 ? 'ts' : 'flv',
        video: { codec: index === 3 ? 'hevc' : 'h264', width: 1920, height: 1080, fps: 29.97 },
        audio: { codec: 'aac', 'sample-rate': 48000, channels: 2 },
      },
    }),
    reconnects: index,
    ...(index % 2 && { 'cc-errors': 0 }),
  };
}

function outputOf(index: number, isLive: boolean): ChannelOutput {
  const kinds = [
    { name: 'CDN primary', protocol: 1, mode: 'push', addr: 'rtmp://live.example.com/app', conn: 10 },
    {
      name: 'Partner SRT',
      protocol: 2,
      mode: 'caller',
      addr: 'srt://203.0.113.20:9000',
      conn: 21,
      reason: 'timeout',
      retry: 7400,
    },
    { name: 'Rack multicast', protocol: 4, mode: 'multicast', addr: 'udp://239.1.2.3:5004', conn: 10 },
    { name: 'Archive', protocol: 1, mode: 'push', addr: 'rtmps://archive.example.com/in', conn: 0, off: true },
  ] as const;
  const kind = kinds[index % kinds.length]!;
  const flows = isLive && kind.conn === 10;
  return {
    id: 11000 + index,
    name: kind.name,
    type: 514,
    protocol: kind.protocol,
    enable: !('off' in kind),
    mode: kind.mode,
    addr: kind.addr,
    'conn-state': isLive ? kind.conn : 0,
    state: flows ? 2 : 0,
    ...('reason' in kind && isLive ? { reason: kind.reason } : isLive ? {} : { reason: 'noInput' }),
    kbps: flows ? 6000 : 0,
    'total-bytes': flows ? 8e8 : 0,
    'living-time-s': flows ? 3500 : 0,
    reconnects: 'retry' in kind ? 14 : 0,
    ...('retry' in kind && isLive ? { 'retry-in-ms': kind.retry } : {}),
    skipped: index === 2 ? 120 : 0,
  };
}

function clientOf(index: number): ChannelClient {
  return {
    id: 500 + index,
    type: 516,
    protocol: index % 2 ? 2 : 1,
    addr: `192.168.10.${100 + index}:4${index}210`,
    'conn-state': 10,
    state: 2,
    kbps: 6000,
    'total-bytes': 5e8,
    'living-time-s': 900 * (index + 1),
    ...(index % 2 && { report: { 'rtt-ms': 3.1, 'pkt-loss': 0, 'pkt-retrans-total': 0 } }),
    skipped: index === 1 ? 44 : 0,
    'queue-ms': index * 4,
  };
}

function channelOf(index: number): Channel {
  const state = stateCycle[index % stateCycle.length]!;
  const isLive = state === 'live';
  const outputs = Array.from({ length: [4, 1, 2, 3, 0, 1, 1, 2, 0][index % 9]! }, (_, i) => outputOf(i, isLive));
  const clients = isLive ? Array.from({ length: [3, 1, 0, 12][index % 4]! }, (_, i) => clientOf(i)) : [];
  return {
    id: 100000 + index,
    name: `${names[index % names.length]}${index >= names.length ? ` ${Math.floor(index / names.length) + 1}` : ''}`,
    state,
    config: {
      enable: state !== 'disabled',
      'play-key': `PULL-${crypto.randomUUID()}`,
      'push-key': `PUSH-${crypto.randomUUID()}`,
      protocol: { rtmp: true, srt: true, ndihx: false, takeover: false, prefer: 1 },
      ndi: { enable: false, ...defaultChannelNdi },
    },
    kbps: isLive ? 6000 : 0,
    'living-time-s': isLive ? 3600 * (index + 1) : 0,
    input: inputOf(state, index),
    outputs: { start: 0, total: outputs.length, list: outputs },
    clients: { start: 0, total: clients.length, list: clients },
    applied: true,
    revision: 1,
  };
}

const wobble = (middle: number, width: number) => Math.round((middle + (Math.random() - 0.5) * width) * 10) / 10;

export type World = ReturnType<typeof createWorld>;

export function createWorld({ channels: count }: { channels: number }) {
  let channels = Array.from({ length: count }, (_, index) => channelOf(index));
  let removed: number[] = [];
  const started = Date.now() - 86_400_000 * 3.2;
  const edit = (id: number, change: (channel: Channel) => Channel) => {
    channels = channels.map((channel) => (channel.id === id ? change(channel) : channel));
    return {};
  };
  const page = <T>(list: T[]) => ({ start: 0, total: list.length, list });
  const series = (middle: number, width: number) =>
    Array.from({ length: 360 }, (_, i) =>
      i > 120 && i < 140 ? null : Math.max(0, wobble(middle + Math.sin(i / 25) * width, width)),
    );
  const world = {
    user: undefined as SessionUser | undefined,
    get channels() {
      return channels;
    },
    signIn(id: string): SessionUser {
      const isAdmin = id !== 'viewer';
      world.user = {
        name: id,
        id: isAdmin ? 1 : 2,
        'group-name': isAdmin ? 'Admin' : 'Viewer',
        permission: isAdmin ? allPermissions : defaultUserMask,
        type: isAdmin ? 1 : 4,
      };
      return world.user;
    },
    tick() {
      channels = channels.map((channel) => {
        if (channel.state !== 'live') return channel;
        const move = <T extends { kbps: number; 'living-time-s': number }>(connection: T): T =>
          connection.kbps === 0
            ? connection
            : { ...connection, kbps: wobble(6100, 500), 'living-time-s': connection['living-time-s'] + 1 };
        const tickRetry = (output: ChannelOutput): ChannelOutput =>
          output['retry-in-ms'] === undefined
            ? output
            : { ...output, 'retry-in-ms': output['retry-in-ms'] > 1000 ? output['retry-in-ms'] - 1000 : 8000 };
        const input = move(channel.input);
        return {
          ...channel,
          kbps: input.kbps,
          'living-time-s': channel['living-time-s'] + 1,
          input,
          outputs: { ...channel.outputs, list: channel.outputs.list.map(move).map(tickRetry) },
          clients: { ...channel.clients, list: channel.clients.list.map(move) },
        };
      });
    },
    takeRemoved: () => removed,
    query(id: number) {
      const channel = channels.find((one) => one.id === id);
      const rate = series(6100, 300).flatMap((value) => Array.from({ length: 10 }, () => value));
      return (
        channel && {
          ...channel,
          history: {
            'step-s': 1,
            end: Date.now(),
            in: rate,
            out: rate.map((value) => (value === null ? null : value * 4)),
          },
        }
      );
    },
    add(name: string) {
      const channel: Channel = { ...channelOf(4), id: 100100 + channels.length, name };
      channels = [...channels, channel];
      return channel.id;
    },
    set: (body: { id: number; name?: string }) => ({
      ...edit(body.id, (channel) => ({ ...channel, name: body.name ?? channel.name })),
      revision: 1,
    }),
    enable: (id: number, enable: boolean) =>
      edit(id, (channel) => ({
        ...channel,
        state: enable ? 'waiting' : 'disabled',
        kbps: 0,
        config: { ...channel.config, enable },
      })),
    enableOutput: (body: { id: number; output: number; enable: boolean }) =>
      edit(body.id, (channel) => ({
        ...channel,
        outputs: {
          ...channel.outputs,
          list: channel.outputs.list.map((output) =>
            output.id === body.output ? { ...output, enable: body.enable } : output,
          ),
        },
      })),
    remove(ids: number[]) {
      channels = channels.filter((channel) => !ids.includes(channel.id));
      removed = [...removed, ...ids];
      return {};
    },
    status(): SystemStatus {
      const live = channels.filter((channel) => channel.state === 'live');
      const outputs = channels.flatMap((channel) => channel.outputs.list);
      return {
        'pwd-rule': firstPasswordRule,
        'license-reg': { status: -20 },
        'cur-license': { 'max-channel-count': 256, 'max-dev-count': 0 },
        system: {
          channel: {
            'enable-num': channels.filter((channel) => channel.config.enable).length,
            'limit-num': 256,
            'live-num': live.length,
            'slate-num': 0,
            'limit-create-num': 256,
            'used-num': channels.length,
          },
          output: {
            'used-num': outputs.length,
            'enable-num': outputs.filter((output) => output.enable).length,
            'live-num': outputs.filter((output) => output.kbps > 0).length,
            'limit-num': 1024,
          },
          srt: { 'used-num': 1, 'limit-num': 1536 },
          client: { 'live-num': channels.reduce((sum, channel) => sum + channel.clients.total, 0), 'limit-num': 4096 },
          device: {
            'num-all': 0,
            'num-online': 0,
            'num-offline': 0,
            'num-warn': 0,
            'num-pending': 0,
            'num-rejected': 0,
            'num-clash': 0,
            'limit-num': 5000,
          },
          info: {
            'date-time': Math.floor(Date.now() / 1000),
            'cloud-version': '0.1.0',
            'expired-time': 30,
            'feature-support': 0,
            'host-name': 'signalbox-rack-2',
            name: 'signalbox-rack-2',
            'up-time': Math.floor((Date.now() - started) / 1000),
            'build-id': 'double',
          },
          status: {
            cpu: wobble(23, 8),
            mem: wobble(41, 1),
            'ring-info': { used: 214, limit: 3072 },
            'disk-info': { total: 476_940, free: 311_204 },
            'net-tx': wobble(131, 10),
            'net-rx': wobble(38, 4),
            'status-code': 16384,
          },
          parts: [
            { name: 'engine', ok: true },
            { name: 'rtmp', ok: true, port: 1935 },
            {
              name: 'srt',
              ok: false,
              reason: 'portOccupied',
              port: 8000,
              message: 'Port 8000 is in use by another program; stop it or set SIGNALBOX_SRT_PORT.',
            },
            { name: 'ffmpeg', ok: true, version: '5.1' },
          ],
          ports: { rtmp: 1935, srt: 8000, hls: 8080, http: 8880, https: null, link: 8070 },
          addresses: ['192.168.1.20'],
        },
      };
    },
    history: () => ({
      'step-s': 10,
      end: Date.now(),
      cpu: series(23, 8),
      mem: series(41, 1),
      'net-tx': series(131, 12),
      'net-rx': series(38, 5),
      'media-in': series(30, 3),
      'media-out': series(110, 9),
    }),
    settings: {
      rtmp: { port: 1935 },
      srt: { port: 8000, latency: 120, 'pb-key-len': 0, 'passphrase-set': false },
      web: {
        'http-port': 8880,
        'enable-https': false,
        'https-port': 443,
        'redirect-https': false,
        hsts: false,
        'is-cert-valid': false,
        'is-cert-key-valid': false,
      },
      'cert-path': '/var/lib/signalbox/tls/hub.crt',
      'cert-key-path': '/var/lib/signalbox/tls/hub.key',
      'expired-time': 30,
      'pwd-rule': firstPasswordRule,
      'sign-in': { 'allow-md5': true },
      security: { 'enable-code': false, 'code-value': '0165' },
      language: 'auto' as const,
      'hub-name': '',
      'upgrade-rate': 100,
      'ndi-discovery': { servers: '', 'extra-ips': '', 'send-groups': '', 'receive-groups': '' },
      'hub-ndi-server': { enable: false, port: 5959 },
      videohub: {
        enabled: false,
        address: '',
        port: 9990,
        allow: [],
        model: 'Smart Videohub',
        version: '2.7' as const,
      },
      outgoing: { 'private-media': true, 'private-webhook': false },
      mail: {
        ...{ enabled: false, host: '', port: 587, encryption: 'starttls' as const, user: '', 'password-set': false },
        ...{ from: '', to: [] },
      },
      revision: {
        ...{ rtmp: 1, srt: 1, web: 1, 'expired-time': 1, 'pwd-rule': 1, 'sign-in': 1, security: 1, language: 1 },
        ...{ outgoing: 1, mail: 1, 'hub-name': 1, 'upgrade-rate': 1, 'ndi-discovery': 1, 'hub-ndi-server': 1 },
        videohub: 1,
      },
    },
    inputs: () =>
      page([
        {
          id: 1006,
          name: 'Head-end UDP',
          type: 258,
          dir: 256,
          protocol: 4,
          config: { type: 1 as const, url: 'udp://239.10.0.1:5000', udp: { host: '239.10.0.1', port: 5000 } },
          revision: 1,
        },
      ]),
    outputs: () =>
      page(
        [0, 1, 2, 3].map((i) => ({
          id: 11000 + i,
          name: outputOf(i, true).name,
          type: 514,
          dir: 512,
          protocol: outputOf(i, true).protocol,
          config: { url: outputOf(i, true).addr },
          revision: 1,
          'owner-o': 'Studio 1 PGM',
          'owner-o-d': 100000,
        })),
      ),
    operations: () => ({
      next: 0,
      counted: true,
      ...page(
        Array.from({ length: 40 }, (_, i) => ({
          id: 400 - i,
          time: Date.now() - i * 421_000,
          user: i % 3 ? 'Admin' : 'maria',
          ip: '192.168.10.5',
          via: '',
          action: ['channel.add', 'output.set', 'auth.login', 'settings.set'][i % 4]!,
          detail: ['Studio 1 PGM', 'Partner SRT: latency', '', 'srt: port 8000'][i % 4]!,
          result: i % 7 === 2 ? 39 : 0,
        })),
      ),
    }),
  };
  return world;
}
