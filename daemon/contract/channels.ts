/** Channels: one input, several outputs, players that come by themselves. */
import * as z from 'zod/mini';
import { get, post, upload } from './endpoint.ts';
import { FailoverRule, InputRole, SwitchReason } from './failover.ts';
import { limits } from './limits.ts';
import { ChannelNdi, ChannelNdiChange } from './ndi.ts';
import { ChannelName, Ids, Paging, Revised, Revision, StreamKey } from './rules.ts';
import { ConnectionState, MediaInfo, ProtocolBit, protocolBits, SourceState } from './streams.ts';

/**
 * What a channel is doing. `disabled`: switched off. `waiting`: no input is connected. `live`: packets arrived in the
 * last 2 s. `stale`: the input is connected but silent. `engineDown`: the media engine doesn't answer.
 */
export const channelStates = ['disabled', 'waiting', 'live', 'stale', 'failed', 'engineDown'] as const;
export const ChannelState = z.enum(channelStates);
export type ChannelState = z.infer<typeof ChannelState>;

export const ChannelProtocols = z.object({
  rtmp: z.boolean(),
  srt: z.boolean(),
  /** As `ndi.enable`: the word of older revisions. */
  ndihx: z.boolean(),
  /** A new publisher replaces one that still sends. One that is silent for 2 s is replaced in any case. */
  takeover: z.boolean(),
  /** Protocol bit that devices should use first: 1 RTMP, 2 SRT. */
  prefer: ProtocolBit.check(z.refine((bit) => bit === protocolBits.rtmp || bit === protocolBits.srt, 'choice')),
});
export type ChannelProtocols = z.infer<typeof ChannelProtocols>;

export const ChannelConfig = z.object({
  enable: z.boolean(),
  /** Everyone who may view the channel may also watch it. */
  'play-key': z.string(),
  /** Only with the permission channelEdit; `push-key-set` replaces it for others. */
  'push-key': z.optional(z.string()),
  'push-key-set': z.optional(z.boolean()),
  protocol: ChannelProtocols,
  ndi: ChannelNdi,
  /** Version of the slate's picture, for those who keep it; absent when there is none. */
  'slate-picture': z.optional(z.string()),
});

const figure = z.optional(z.number());
/**
 * How well a connection does. Packets are those of the last second; `-total`: since the connection began. Only what the
 * protocol knows is there.
 */
export const TransportReport = z.object({
  /**
   * SRT: given up because it was too late. RTMP, HTTP and UDP: left out because the far end, or the system, was slow.
   * Input over UDP and RTP: arrived and was not read in time.
   */
  'pkt-drop': figure,
  'pkt-drop-total': figure,
  /** SRT, before it was repaired; RTP. */
  'pkt-loss': figure,
  'pkt-loss-total': figure,
  'pkt-retrans': figure,
  'pkt-retrans-total': figure,
  /** Of the packets of the last 10 s, before SRT repaired what it could. */
  'loss-percent': figure,
  /** Input over UDP and RTP. */
  'pkt-recv-total': figure,
  /** The same: dropped because they came from others than the sender that is heard. */
  'pkt-refused-total': figure,
  /** RTP: came out of order, and twice or too late. */
  'pkt-reorder-total': figure,
  'pkt-late-total': figure,
  /** Continuity errors of the transport stream. */
  'cc-errors': figure,
  /** Round trip, milliseconds. */
  'rtt-ms': figure,
  /** How unevenly it comes in, milliseconds (RFC 3550): by RTP's time stamps, else by the stream's clock. */
  'jitter-ms': figure,
  /** Milliseconds of media in the protocol's buffer, or in the queue of a slow reader. */
  'buffer-ms': figure,
});
export type TransportReport = z.infer<typeof TransportReport>;

const leg = {
  'conn-state': ConnectionState,
  state: SourceState,
  /** Why the connection state is what it is, in a word the console translates; absent when all is well. */
  reason: z.optional(z.string()),
  /** Of an SRT listener that says `wrongPassphrase`: the newest caller that was refused, milliseconds since 1970. */
  refused: z.optional(z.object({ addr: z.string(), time: z.number() })),
  /** Rate over the last second. */
  kbps: z.number(),
  'total-bytes': z.number(),
  /** Seconds since packets began to flow; 0 when they don't. */
  'living-time-s': z.number(),
  report: z.optional(TransportReport),
};

export const ChannelInput = z.object({
  role: InputRole,
  /** 0: encoders push with the channel's push key, or it is the slate. Else the id of an input. */
  id: z.number(),
  name: z.string(),
  /** 258 custom, 260 connected by itself. */
  type: z.number(),
  protocol: ProtocolBit,
  /** Peer address of a publisher, or the URL without its secrets. */
  addr: z.string(),
  ...leg,
  media: z.optional(MediaInfo),
  /** How often it was connected again since the engine started. */
  reconnects: z.number(),
  /** Continuity faults of a transport stream since it connected. */
  'cc-errors': z.optional(z.number()),
});
export type ChannelInput = z.infer<typeof ChannelInput>;

export const ChannelOutput = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  protocol: ProtocolBit,
  enable: z.boolean(),
  /** `caller`, `listener`, `push`, `server`, `unicast` or `multicast`. */
  mode: z.string(),
  /** Destination without its secrets. */
  addr: z.string(),
  ...leg,
  reconnects: z.number(),
  /** Milliseconds until the next attempt, while it waits. */
  'retry-in-ms': z.optional(z.number()),
  /** Packets or messages left out because the destination was slow. */
  skipped: z.number(),
  /** Of an output that listens: how many are connected to it. */
  clients: z.optional(z.number()),
});
export type ChannelOutput = z.infer<typeof ChannelOutput>;

export const ChannelClient = z.object({
  id: z.number(),
  /** 516: connected by itself. */
  type: z.number(),
  /** The output that it came to; absent for one that came with the play key. */
  'output-id': z.optional(z.number()),
  protocol: ProtocolBit,
  addr: z.string(),
  ...leg,
  skipped: z.number(),
  /** Milliseconds of media that wait for it. */
  'queue-ms': z.number(),
});
export type ChannelClient = z.infer<typeof ChannelClient>;

/** The NDI source of the channel itself, while that is switched on. */
export const ChannelNdiState = z.object({
  /** What others find behind the name of the hub's machine. */
  name: z.string(),
  ...leg,
});
export type ChannelNdiState = z.infer<typeof ChannelNdiState>;

/** Both inputs of a channel with a backup. */
export const ChannelFailover = z.object({
  active: InputRole,
  main: ChannelInput,
  backup: ChannelInput,
  /** Milliseconds since 1970 when `active` changed last; 0 before any change. */
  'switched-at': z.number(),
  reason: SwitchReason,
  /** How often since the engine started. */
  switches: z.number(),
  rule: FailoverRule,
});
export type ChannelFailover = z.infer<typeof ChannelFailover>;

const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({ start: z.number(), total: z.number(), list: z.array(item) });

export const Channel = z.object({
  id: z.number(),
  name: z.string(),
  state: ChannelState,
  config: ChannelConfig,
  /** Rate of the input over the last second. */
  kbps: z.number(),
  'living-time-s': z.number(),
  /** The one that the outputs carry now. */
  input: ChannelInput,
  /** Absent without a backup. */
  failover: z.optional(ChannelFailover),
  outputs: listOf(ChannelOutput),
  clients: listOf(ChannelClient),
  ndi: z.optional(ChannelNdiState),
  /** Whether the engine has taken over the newest configuration. */
  applied: z.boolean(),
  /** Of what `channel/set`, `enable`, `input/set` and `slate` change. */
  revision: z.number(),
});
export type Channel = z.infer<typeof Channel>;

export const ChannelTotals = z.object({
  /** Channels that are switched on. */
  'enable-num': z.number(),
  /** How many the licence lets be on at a time. */
  'limit-num': z.number(),
  'live-num': z.number(),
  /** How many there can be. */
  'limit-create-num': z.number(),
  /** How many there are. */
  'used-num': z.number(),
});
export type ChannelTotals = z.infer<typeof ChannelTotals>;

/** One number per `step-s`, the newest last; null where nothing was known (gaps are shown as gaps). */
export const History = z.object({
  'step-s': z.number(),
  /** Milliseconds since 1970 of the newest value. */
  end: z.number(),
  in: z.array(z.nullable(z.number())),
  out: z.array(z.nullable(z.number())),
});
export type History = z.infer<typeof History>;

/** The longest a history of connections is asked for, minutes. */
const qualityMinutes = [5, 60] as const;
const qualitySeries = z.optional(z.array(z.nullable(z.number())));
/**
 * How a connection did: one value per `step-s`, the newest last; null where it isn't known. Packets are counted within
 * the step, delays are the longest of it.
 */
export const Quality = z.object({
  'step-s': z.number(),
  /** Milliseconds since 1970 of the newest value. */
  end: z.number(),
  /** Whether the connection was there all through the step. Empty: there are no figures. */
  connected: z.array(z.boolean()),
  'loss-percent': qualitySeries,
  'pkt-loss': qualitySeries,
  'pkt-retrans': qualitySeries,
  'pkt-drop': qualitySeries,
  'cc-errors': qualitySeries,
  'rtt-ms': qualitySeries,
  'jitter-ms': qualitySeries,
  'buffer-ms': qualitySeries,
});
export type Quality = z.infer<typeof Quality>;

const WindowStart = z.optional(z.coerce.number().check(z.gte(0, 'range')));
const WindowCount = z.optional(z.coerce.number().check(z.gte(0, 'range'), z.lte(limits.page.max, 'range')));
/** Which outputs and clients of each channel are answered; the first `limits.innerPage` when left out. */
const Windows = {
  'output-start': WindowStart,
  'output-count': WindowCount,
  'client-start': WindowStart,
  'client-count': WindowCount,
};

const flag = z.optional(z.coerce.number());
const Id = z.object({ id: z.int('number') });

const NewChannelConfig = z.object({
  enable: z.optional(z.boolean()),
  'play-key': z.optional(StreamKey),
  'push-key': z.optional(StreamKey),
  protocol: z.optional(z.partial(ChannelProtocols)),
  ndi: z.optional(ChannelNdiChange),
});

export const NewChannel = z.object({ name: ChannelName, config: z.optional(NewChannelConfig) });
export const ChangedChannel = z.object({
  id: z.int('number'),
  name: z.optional(ChannelName),
  config: z.optional(NewChannelConfig),
  revision: Revision,
});

export const LogLine = z.object({
  /** Milliseconds since 1970. */
  time: z.number(),
  level: z.string(),
  text: z.string(),
});
export const ProcessLog = z.object({
  /** What the process does, such as `bridge ts to flv`. */
  name: z.string(),
  running: z.boolean(),
  lines: z.array(LogLine),
});
export type ProcessLog = z.infer<typeof ProcessLog>;

export const channelApi = {
  dashboard: get('/api/channel/dashboard', {
    scope: 'channelView',
    summary: 'All channels with inputs, outputs, clients and live figures; also the channel list.',
    query: z.object({
      ...Paging,
      ...Windows,
      live: flag,
      history: flag,
      key: z.optional(z.string().check(z.maxLength(limits.name.max, 'tooLong'))),
      sort: z.optional(z.literal('name')),
      order: z.optional(z.enum(['ascending', 'descending'])),
    }),
    answer: z.object({
      global: ChannelTotals,
      network: z.object({ 'mbps-s': z.number(), 'mbps-m': z.optional(z.array(z.nullable(z.number()))) }),
      start: z.number(),
      total: z.number(),
      list: z.array(Channel),
    }),
  }),
  query: get('/api/channel/query', {
    scope: 'channelView',
    summary: 'One channel.',
    query: z.object({ id: z.coerce.number(), ...Windows, history: flag }),
    answer: z.object({ ...Channel.shape, history: z.optional(History) }),
  }),
  quality: get('/api/channel/quality', {
    scope: 'channelView',
    summary: 'Loss, retransmission, round trip, jitter and buffer of one connection of a channel over time.',
    query: z.object({
      id: z.coerce.number(),
      /** Id of an output or of a client; the input without both. */
      output: z.optional(z.coerce.number()),
      client: z.optional(z.coerce.number()),
      /** 5 in steps of a second, or 60 (the default) in steps of five; clients are kept for ten minutes. */
      minutes: z.optional(
        z.coerce
          .number()
          .check(z.refine((minutes) => (qualityMinutes as readonly number[]).includes(minutes), 'choice')),
      ),
    }),
    answer: Quality,
  }),
  log: get('/api/channel/log', {
    scope: 'channelView',
    summary: 'What the FFmpeg processes of a channel and its connections said last, secrets masked.',
    query: z.object({ id: z.coerce.number() }),
    answer: z.object({ list: z.array(ProcessLog) }),
  }),
  add: post('/api/channel/add', {
    scope: 'channelEdit',
    summary: 'Add a channel; keys left out are generated.',
    body: NewChannel,
    answer: Id,
  }),
  set: post('/api/channel/set', {
    scope: 'channelEdit',
    summary: 'Change a channel; what is left out stays.',
    body: ChangedChannel,
    answer: Revised,
  }),
  revealKey: post('/api/channel/reveal-key', {
    scope: 'channelEdit',
    summary: 'Show the push key of a channel; the operation log records who looked.',
    body: Id,
    answer: z.object({ 'push-key': z.string() }),
  }),
  del: post('/api/channel/del', {
    scope: 'channelEdit',
    summary: 'Delete one channel or several.',
    body: z.object({ id: Ids }),
    answer: z.object({}),
  }),
  enable: post('/api/channel/enable', {
    scope: 'channelControl',
    summary: 'Start or stop a channel.',
    body: z.object({ id: z.int('number'), enable: z.boolean() }),
    answer: z.object({}),
  }),
  setInput: post('/api/channel/input/set', {
    scope: 'channelEdit',
    summary:
      'Choose the input; 0 takes whoever publishes with the push key. `backup` is another input that takes over when that one is lost, 0 for none. What is left out stays.',
    body: z.object({
      id: z.int('number'),
      input: z.int('number'),
      backup: z.optional(z.int('number')),
      failover: z.optional(z.partial(FailoverRule)),
      revision: Revision,
    }),
    answer: Revised,
  }),
  switchInput: post('/api/channel/input/switch', {
    scope: 'channelControl',
    summary: 'Put the main input or the backup on air, until that one is lost; refused when it brings nothing.',
    body: z.object({ id: z.int('number'), to: z.enum(['main', 'backup']) }),
    answer: z.object({}),
  }),
  setSlate: upload('/api/channel/slate/set', {
    scope: 'channelEdit',
    summary: 'Upload the picture of the slate: PNG or JPEG, at most 4096 x 4096.',
    query: z.object({ id: z.coerce.number(), revision: z.optional(z.coerce.number()) }),
    upload: { types: ['image/png', 'image/jpeg'], maxBytes: limits.slatePicture.maxBytes },
    answer: Revised,
  }),
  delSlate: post('/api/channel/slate/del', {
    scope: 'channelEdit',
    summary: 'Take the picture of the slate away; a slate that shows it becomes colour bars.',
    body: z.object({ id: z.int('number'), revision: Revision }),
    answer: Revised,
  }),
  addOutput: post('/api/channel/output/add', {
    scope: 'channelEdit',
    summary: 'Give an output to a channel.',
    body: z.object({ id: z.int('number'), output: z.int('number') }),
    answer: z.object({}),
  }),
  delOutput: post('/api/channel/output/del', {
    scope: 'channelEdit',
    summary: 'Take an output away from a channel; the output itself stays.',
    body: z.object({ id: z.int('number'), output: z.int('number') }),
    answer: z.object({}),
  }),
  disconnectClient: post('/api/channel/client/disconnect', {
    scope: 'channelControl',
    summary: 'Disconnect one client of a channel; nothing keeps it from coming again.',
    body: z.object({ id: z.int('number'), client: z.int('number') }),
    answer: z.object({}),
  }),
  enableOutput: post('/api/channel/output/enable', {
    scope: 'channelControl',
    summary: 'Start or stop one output of a channel.',
    body: z.object({ id: z.int('number'), output: z.int('number'), enable: z.boolean() }),
    answer: z.object({}),
  }),
};
