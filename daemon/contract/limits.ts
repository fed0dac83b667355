/** Numbers of the specification (section 9) and bounds of ours, shared by both sides. */
export const limits = {
  /** Characters; one above code 127, or a caret, counts as three. */
  name: { min: 1, max: 63 },
  key: { min: 1, max: 63 },
  /** Least length of a stream key that is given to a channel; older ones may be shorter. */
  newKeyMin: 8,
  userName: { min: 3, max: 12 },
  /** Characters of a new password. */
  password: { min: 10, max: 128 },
  setupCode: { max: 32 },
  nickName: { max: 32 },
  groupName: { max: 32 },
  groupDescription: { max: 256 },
  catalogName: { max: 32 },
  catalogDepth: 5,
  tokenLength: 64,
  /** Life of an access token without a given end. */
  tokenDays: 90,
  users: 32,
  /** Of all users together. */
  tokens: 64,
  userGroups: 6,
  servers: 16,
  presets: 64,
  channels: 256,
  inputs: 512,
  outputs: 1024,
  outputsPerChannel: 64,
  clientsPerChannel: 256,
  /** Of one channel at one address, and of all channels. */
  clientsPerAddress: 64,
  clientsOfHubPerAddress: 256,
  /** Clients of a channel that the event stream shows. */
  shownClients: 64,
  /** Milliseconds. */
  latency: { min: 20, max: 8000, default: 120 },
  bufferDuration: { min: 1, max: 2000, default: 200 },
  /** Percent over the rate of the stream that SRT may send to repair losses; 0: no limit. */
  bandwidthOverhead: { min: 5, max: 100, default: 0 },
  /** Receivers of an output that listens, by SRT or RTSP. */
  maxConnections: { min: 1, max: 64, default: 30 },
  port: { min: 1, max: 65535 },
  ttl: { min: 1, max: 255, default: 16 },
  /** Of a transport stream; 0: the first. */
  program: { min: 0, max: 65535 },
  /** Of a programme; 0: all of its audio streams. */
  audioTrack: { min: 0, max: 32 },
  streamId: { max: 256 },
  passphrase: { min: 10, max: 79 },
  url: { max: 2048 },
  /** Characters of a source's name, and of a list of groups or machines. */
  ndi: { name: 253, list: 248 },
  /** A session ends after so many days, even if it is used. */
  sessionDays: 90,
  sessionMinutes: { min: -1, max: 1440, default: 30, never: -1 },
  /** Rows that a list answers when `count` is not given, and at most. */
  page: { default: 100, max: 1000 },
  /** Outputs and clients of a channel that are answered when the window is not given. */
  innerPage: 10,
  /** Entries of the operation log that are kept, beside a tenth of that for failed attempts, and for how many days. */
  logEntries: 100_000,
  logDays: 730,
  /** Lines of the system log. */
  systemLogLines: 50_000,
  logKey: { max: 100 },
  /** How many entries with a frequent text are counted. */
  logCounted: 1000,
  /** Changes of state that are kept of a channel, and for how many days. */
  runEvents: 1000,
  runEventDays: 30,
  failover: {
    noDataMs: { min: 100, max: 10_000, default: 300 },
    /** Without a picture, without sound. */
    quietMs: { min: 200, max: 60_000 },
    stableSeconds: { min: 1, max: 3600, default: 10 },
  },
  slatePicture: { maxBytes: 4 * 1024 * 1024, maxSide: 4096 },
  alarms: 10_000,
  alarm: {
    seconds: { min: 1, max: 3600 },
    kbps: { min: 1, max: 1_000_000 },
    perMinute: { min: 1, max: 100_000 },
    percent: { min: 1, max: 100 },
  },
  webhookSecret: { max: 128 },
  requestTimeoutMs: 20_000,
  badge: 9999,
  historyMinutes: 60,
} as const;
