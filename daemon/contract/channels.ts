/** Channels: one input, several outputs, and players that connect by themselves. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { FailoverRule, InputRole, SwitchReason } from './failover.ts';
import { limits } from './limits.ts';
import { ChannelNdi, ChannelNdiChange } from './ndi.ts';
import {
  ChannelName,
  CopyOf,
  coded,
  Ids,
  IntText,
  idOrName,
  inWords,
  listOf,
  Paging,
  Revised,
  Revision,
  Sorting,
  StreamKey,
} from './rules.ts';
import { ConnectionState, MediaInfo, NodeType, ProtocolBit, SourceState } from './stream-fields.ts';
import { channelStates, protocolBits } from './streams.ts';

export const ChannelState = z.enum(channelStates);
export type ChannelState = z.infer<typeof ChannelState>;

export const ChannelProtocols = z.object({
  rtmp: z.boolean(),
  srt: z.boolean(),
  /** Same as `ndi.enable`, under the name of older revisions. */
  ndihx: z.boolean(),
  /** A new publisher replaces one that is still sending. One that has been silent for 2 s is always replaced. */
  takeover: z.boolean(),
  /** Protocol bit that devices should prefer: 1 RTMP, 2 SRT. */
  prefer: ProtocolBit.check(
    z.refine((bit) => bit === protocolBits.rtmp || bit === protocolBits.srt, {
      error: 'choice',
      params: { allowed: '1, 2' },
    }),
    z.meta({ enum: [protocolBits.rtmp, protocolBits.srt] }),
  ),
});
export type ChannelProtocols = z.infer<typeof ChannelProtocols>;

export const ChannelConfig = z.object({
  enable: z.boolean(),
  /** Visible to every user who may view the channel, because they may also watch it. */
  'play-key': z.string(),
  /** Only with the permission channelEdit; without it, `push-key-set` is sent instead. */
  'push-key': z.optional(z.string()),
  'push-key-set': z.optional(z.boolean()),
  protocol: ChannelProtocols,
  ndi: ChannelNdi,
  /** Version of the slate image, for clients that cache it; absent when there is no image. */
  'slate-picture': z.optional(z.string()),
});

const count = z.optional(z.int());
const figure = z.optional(z.number());
/**
 * Quality of a connection. Packet counts cover the last second; `-total` counts since the connection was made. Only the
 * values that the protocol provides are present.
 */
export const TransportReport = z.object({
  /**
   * SRT: dropped because it was too late. RTMP, HTTP and UDP: skipped because the peer, or the system, was slow.
   * Input over UDP and RTP: received but not read in time.
   */
  'pkt-drop': count,
  'pkt-drop-total': count,
  /** SRT (before recovery) and RTP. */
  'pkt-loss': count,
  'pkt-loss-total': count,
  'pkt-retrans': count,
  'pkt-retrans-total': count,
  /** Of the packets of the last 10 s; for SRT before recovery. */
  'loss-percent': figure,
  /** Input over UDP and RTP. */
  'pkt-recv-total': count,
  /** Input over UDP and RTP: dropped because they came from an address other than the accepted sender. */
  'pkt-refused-total': count,
  /** RTP: received out of order; duplicate or too late. */
  'pkt-reorder-total': count,
  'pkt-late-total': count,
  /** Continuity errors of the transport stream. */
  'cc-errors': count,
  /** Round-trip time in milliseconds. */
  'rtt-ms': figure,
  /** Interarrival jitter in milliseconds (RFC 3550), by RTP timestamps, otherwise by the clock of the stream. */
  'jitter-ms': figure,
  /** Milliseconds of media in the protocol's buffer, or in the queue of a slow player. */
  'buffer-ms': figure,
});
export type TransportReport = z.infer<typeof TransportReport>;

/**
 * Milliseconds since 1970 when the present state began; absent while no change is recorded. Attempts that end in the
 * same state do not count as a change, nor does another reason.
 */
const since = z.optional(z.int());

const connection = {
  'conn-state': ConnectionState,
  state: SourceState,
  /** Reason for the connection state, as a word that the console translates; absent when there is no fault. */
  reason: z.optional(z.string()),
  /** For an SRT listener in state `wrongPassphrase`: the last caller that was refused; `time` in ms since 1970. */
  refused: z.optional(z.object({ addr: z.string(), time: z.int() })),
  /** Average over the last second. */
  kbps: z.number(),
  /** Since the connection was made. */
  'total-bytes': z.int(),
  /** Seconds since packets began to flow; 0 when there are none. */
  'living-time-s': z.int(),
  report: z.optional(TransportReport),
};

export const ChannelInput = z.object({
  role: InputRole,
  /** 0: encoders publish with the channel's push key, or this is the slate. Otherwise the id of an input or a device. */
  id: z.int(),
  name: z.string(),
  type: NodeType,
  /** 0 while no encoder is connected. */
  protocol: coded({ none: 0, ...protocolBits }),
  /** Peer address of a publisher, or the URL without its secrets. */
  addr: z.string(),
  ...connection,
  media: z.optional(MediaInfo),
  /** Number of reconnections since the engine started. */
  reconnects: z.int(),
  /** Continuity counter errors of a transport stream since it connected. */
  'cc-errors': z.optional(z.int()),
});
export type ChannelInput = z.infer<typeof ChannelInput>;

export const ChannelOutput = z.object({
  id: z.int(),
  name: z.string(),
  type: NodeType,
  protocol: ProtocolBit,
  enable: z.boolean(),
  since,
  /** `caller`, `listener`, `push`, `server`, `unicast` or `multicast`. */
  mode: z.string(),
  /** Destination without secrets. */
  addr: z.string(),
  ...connection,
  reconnects: z.int(),
  /** Milliseconds until the next attempt, while waiting. */
  'retry-in-ms': z.optional(z.int()),
  /** Packets or messages skipped because the destination was slow. */
  skipped: z.int(),
  /** Number of connected receivers, for an output in listener mode. */
  clients: z.optional(z.int()),
});
export type ChannelOutput = z.infer<typeof ChannelOutput>;

export const ChannelClient = z.object({
  id: z.int(),
  type: NodeType,
  /** The output that the client connected to; absent for clients that used the play key. */
  'output-id': z.optional(z.int()),
  protocol: ProtocolBit,
  addr: z.string(),
  ...connection,
  skipped: z.int(),
  /** Milliseconds of media queued for the client. */
  'queue-ms': z.number(),
});
export type ChannelClient = z.infer<typeof ChannelClient>;

/** The channel's own NDI source, while it is enabled. */
export const ChannelNdiState = z.object({
  /** The source name that receivers see after the name of the hub's machine. */
  name: z.string(),
  ...connection,
});
export type ChannelNdiState = z.infer<typeof ChannelNdiState>;

/** Both inputs of a channel with a backup. */
export const ChannelFailover = z.object({
  active: InputRole,
  main: ChannelInput,
  backup: ChannelInput,
  /** Milliseconds since 1970 of the last change of `active`; 0 before any change. */
  'switched-at': z.int(),
  reason: SwitchReason,
  /** Number of switches since the engine started. */
  switches: z.int(),
  /** Milliseconds since 1970 when the main input takes over again, if it stays good; absent while it will not. */
  'returns-at': z.optional(z.int()),
  rule: FailoverRule,
});
export type ChannelFailover = z.infer<typeof ChannelFailover>;

export const Channel = z.object({
  id: z.int(),
  name: z.string(),
  state: ChannelState,
  since,
  config: ChannelConfig,
  /** Bitrate of the input over the last second; 0 while the slate is on air. */
  kbps: z.number(),
  'living-time-s': z.int(),
  /** The input that the outputs currently carry. */
  input: ChannelInput,
  /** Absent without a backup. */
  failover: z.optional(ChannelFailover),
  outputs: listOf(ChannelOutput),
  clients: listOf(ChannelClient),
  ndi: z.optional(ChannelNdiState),
  /** Whether the engine has applied the latest configuration. */
  applied: z.boolean(),
  /** Revision of the settings that `channel/set`, `enable`, `input/set` and `slate` change. */
  revision: z.int(),
});
export type Channel = z.infer<typeof Channel>;

export const ChannelTotals = z.object({
  /** Number of enabled channels. */
  'enable-num': z.int(),
  /** Number of channels that the license allows to be enabled at a time. */
  'limit-num': z.int(),
  /** Channels in the state `live`. */
  'live-num': z.int(),
  /** Channels in the state `slate`. */
  'slate-num': z.int(),
  /** Maximum number of channels. */
  'limit-create-num': z.int(),
  /** Number of existing channels. */
  'used-num': z.int(),
});
export type ChannelTotals = z.infer<typeof ChannelTotals>;

/** One value per `step-s`, the newest last; null where the value is unknown, so that gaps show as gaps. */
export const History = z.object({
  /** Seconds. */
  'step-s': z.int(),
  /** Milliseconds since 1970 of the newest value. */
  end: z.int(),
  /** kbit/s; so is `out`. */
  in: z.array(z.nullable(z.number())),
  out: z.array(z.nullable(z.number())),
});
export type History = z.infer<typeof History>;

/** The periods for which connection quality can be requested, in minutes. */
const qualityMinutes = [5, 60] as const;
const qualitySeries = z.optional(z.array(z.nullable(z.number())));
/**
 * Quality of a connection over time: one value per `step-s`, the newest last; null where it is unknown. Packets are
 * counted within the step; for delays, the value is the maximum in the step.
 */
export const Quality = z.object({
  /** Seconds. */
  'step-s': z.int(),
  /** Milliseconds since 1970 of the newest value. */
  end: z.int(),
  /** Whether the connection existed for the whole step. Empty if there are no values. */
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

const WindowStart = z.optional(IntText.check(z.gte(0, 'range')));
const WindowCount = z.optional(IntText.check(z.gte(0, 'range')));
/** Which outputs and clients of each channel are returned; the first `limits.innerPage` by default. */
const Windows = {
  'output-start': WindowStart,
  'output-count': WindowCount,
  'client-start': WindowStart,
  'client-count': WindowCount,
};

const flag = z.optional(IntText);
const Id = z.object({ id: z.int('number') });

const NewChannelConfig = z.object({
  enable: z.optional(z.boolean()),
  'play-key': z.optional(StreamKey),
  'push-key': z.optional(StreamKey),
  /** Which protocols publishers and players may use. */
  protocol: z.optional(z.partial(ChannelProtocols)),
  ndi: z.optional(ChannelNdiChange),
});

export const NewChannel = z.object({
  name: ChannelName,
  config: z.optional(NewChannelConfig),
  'copy-of': CopyOf,
});
/** Without an id, the name finds the channel. */
export const ChangedChannel = z
  .object({
    id: z.optional(z.int('number')),
    name: z.optional(ChannelName),
    config: z.optional(NewChannelConfig),
    revision: Revision,
  })
  .check(idOrName, inWords('`id` or `name` is required.'));

export const channelApi = endpoints(calls.channels, {
  dashboard: {
    summary: 'List all channels with inputs, outputs, clients and live statistics.',
    query: z.object({
      ...Paging,
      ...Windows,
      /** 1: only channels that are live. */
      live: flag,
      /** 1: with the traffic of the last 60 minutes. */
      history: flag,
      ...Sorting,
    }),
    response: z.object({
      global: ChannelTotals,
      network: z.object({
        /** Mbit/s of all channels over the last second. */
        'mbps-s': z.number(),
        /** The same over the last 60 minutes, with `history=1`; null where the value is unknown. */
        'mbps-m': z.optional(z.array(z.nullable(z.number()))),
      }),
      ...listOf(Channel).shape,
    }),
  },
  query: {
    summary: 'Get one channel.',
    query: z.object({ id: IntText, ...Windows, history: flag }),
    response: z.object({ ...Channel.shape, history: z.optional(History) }),
  },
  quality: {
    summary: 'Get loss, retransmission, round trip, jitter and buffer of one connection of a channel over time.',
    query: z.object({
      id: IntText,
      /** Id of an output or of a client; without both, the input. */
      output: z.optional(IntText),
      client: z.optional(IntText),
      /** 5 in steps of 1 s, or 60 (the default) in steps of 5 s; data of clients is kept for ten minutes. */
      minutes: z.optional(
        IntText.check(
          z.refine((minutes) => (qualityMinutes as readonly number[]).includes(minutes), {
            error: 'choice',
            params: { allowed: qualityMinutes.join(', ') },
          }),
          z.meta({ enum: [...qualityMinutes] }),
        ),
      ),
    }),
    response: Quality,
  },
  add: {
    summary:
      'Add a channel; omitted keys are generated. `copy-of` is a channel whose settings it takes over, with input, backup, slate and alarm rules, but without outputs.',
    body: NewChannel,
    shown: Channel,
    response: Id,
  },
  set: {
    summary: 'Change a channel; omitted members stay unchanged.',
    body: ChangedChannel,
    shown: Channel,
    response: Revised,
  },
  revealKey: {
    summary: 'Reveal the push key of a channel; the operation log records the user.',
    body: Id,
    response: z.object({ 'push-key': z.string() }),
  },
  del: {
    summary: 'Delete one or more channels.',
    body: z.object({ id: Ids }),
  },
  enable: {
    summary: 'Start or stop a channel.',
    body: z.object({ id: z.int('number'), enable: z.boolean() }),
  },
  setInput: {
    summary:
      'Choose the input: the id of an input, or of a device, which is told to send; 0 accepts a publisher with the push key. `backup` is another input that takes over when the main input is lost, 0 for none. Omitted members stay unchanged.',
    body: z.object({
      id: z.int('number'),
      input: z.int('number'),
      backup: z.optional(z.int('number')),
      failover: z.optional(z.partial(FailoverRule)),
      revision: Revision,
    }),
    response: Revised,
  },
  switchInput: {
    summary: 'Put the main or the backup input on air until it is lost; refused if it delivers no data.',
    body: z.object({ id: z.int('number'), to: z.enum(['main', 'backup']) }),
  },
  setSlate: {
    summary: 'Upload the slate image: PNG or JPEG, at most 4096 x 4096.',
    query: z.object({ id: IntText, revision: z.optional(IntText) }),
    upload: { types: ['image/png', 'image/jpeg'], maxBytes: limits.slatePicture.maxBytes },
    response: Revised,
  },
  delSlate: {
    summary: 'Delete the slate image; a slate that shows it changes to color bars.',
    body: z.object({ id: z.int('number'), revision: Revision }),
    response: Revised,
  },
  addOutput: {
    summary: 'Assign an output to a channel.',
    body: z.object({ id: z.int('number'), output: z.int('number') }),
  },
  delOutput: {
    summary: 'Remove an output from a channel without deleting it.',
    body: z.object({ id: z.int('number'), output: z.int('number') }),
  },
  disconnectClient: {
    summary: 'Disconnect one client of a channel; it may reconnect.',
    body: z.object({ id: z.int('number'), client: z.int('number') }),
  },
  enableOutput: {
    summary: 'Start or stop one output of a channel.',
    body: z.object({ id: z.int('number'), output: z.int('number'), enable: z.boolean() }),
  },
});
