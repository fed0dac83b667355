/** Limits of the specification (section 9) and of this project, shared by the daemon and the console. */
export const limits = {
  /** Characters; a caret or a non-ASCII character counts as three. */
  name: { min: 1, max: 63 },
  key: { min: 1, max: 63 },
  /** Minimum length of a new stream key; older keys may be shorter. */
  newKeyMin: 8,
  userName: { min: 3, max: 12 },
  /** Characters of a new password. */
  password: { min: 10, max: 128 },
  setupCode: { max: 32 },
  nickName: { max: 32 },
  groupName: { max: 32 },
  groupDescription: { max: 256 },
  tokenLength: 64,
  /** Default lifetime of an access token. */
  tokenDays: 90,
  users: 32,
  /** Total for all users. */
  tokens: 64,
  userGroups: 6,
  servers: 16,
  presets: 64,
  channels: 256,
  inputs: 512,
  outputs: 1024,
  outputsPerChannel: 64,
  clientsPerChannel: 256,
  /** Clients per address: on one channel, and on all channels. */
  clientsPerAddress: 64,
  clientsOfHubPerAddress: 256,
  /** Clients that the event stream includes for each channel. */
  shownClients: 64,
  /** Accepted, rejected and waiting ones. */
  devices: 5000,
  /** Those that one call changes. */
  devicesPerCall: 1000,
  /** Those that one event stream watches, which are asked every second. */
  watchedDevices: 64,
  deviceGroups: { count: 512, depth: 5, name: 32 },
  /** Devices that one call adds, and how many of them the hub asks at a time. */
  addedDevices: { perCall: 64, atOnce: 16 },
  /** The highest number that a badge of the menu shows. */
  badge: 9999,
  /** Port forwards, connections of each, ports added for a device. The hub stops one that is unused for so long. */
  forwards: { count: 64, connections: 64, ports: 32, idleMinutes: { min: 0, max: 1440, default: 60 } },
  /** Static routes of the appliance. */
  routes: 64,
  /** Devices that state the serial number of a known one: the hub keeps so many, and of one serial number. */
  deviceClashes: { count: 100, perDevice: 4 },
  /** Rules, and characters of a remark. */
  firewall: { count: 256, remark: 255 },
  /**
   * Firmware files of devices: how many the library keeps, bytes of one, and bytes that must stay free beside it. Those
   * that a published upload has sent and that wait for `firmware/add`.
   */
  firmware: { count: 500, maxBytes: 2 * 1024 ** 3, freeBytes: 50 * 1024 ** 2, waiting: 4 },
  /** The uploaded NDI runtime: bytes of its file, and bytes that must stay free beside it. */
  ndiRuntime: { maxBytes: 256 * 1024 ** 2, freeBytes: 50 * 1024 ** 2 },
  /** Schedules, and the devices of each. */
  schedules: { count: 200, devices: 1000 },
  /**
   * Devices that get firmware at the same time: of one task, and of all tasks. Mbit/s of all uploads together; 0: no limit.
   */
  upgrade: { parallel: { max: 32, default: 4 }, atOnce: 48, rate: { min: 0, max: 10_000, default: 100 } },
  deviceSn: { max: 64 },
  /** A name that a device gets; others may have longer ones. */
  deviceName: { min: 1, max: 32 },
  /** Devices that an action is sent to at the same time. */
  deviceActionsAtOnce: 8,
  deviceLogin: { user: 64, password: 128 },
  deviceAddress: { max: 280 },
  /** Milliseconds. */
  latency: { min: 20, max: 8000, default: 120 },
  bufferDuration: { min: 1, max: 2000, default: 200 },
  /** Percent above the stream's bitrate that SRT may use to recover losses; 0: no limit. */
  bandwidthOverhead: { min: 5, max: 100, default: 0 },
  /** Receivers of an SRT or RTSP output in listener mode. */
  maxConnections: { min: 1, max: 64, default: 30 },
  port: { min: 1, max: 65535 },
  /** The usual port of HTTPS. */
  httpsPort: { default: 8443 },
  ttl: { min: 1, max: 255, default: 16 },
  /** Program number in a transport stream; 0: the first. */
  program: { min: 0, max: 65535 },
  /** Audio track of a program; 0: all. */
  audioTrack: { min: 0, max: 32 },
  streamId: { max: 256 },
  passphrase: { min: 10, max: 79 },
  url: { max: 2048 },
  /** Maximum characters of a source name, and of a list of groups or machines. */
  ndi: { name: 253, list: 248 },
  /** Characters of the id of a picture in a preview stream, which may have the longest name of an NDI source in base64. */
  imageId: 1024,
  /** The NDI router. Characters of its base name and of a label. Sources that it knows of. */
  ndiRouter: {
    inputs: { min: 1, max: 256, default: 16 },
    outputs: { min: 1, max: 128, default: 16 },
    ...{ baseName: 63, label: 63, salvos: 128, presets: 64, sources: 1024 },
    /** Of hardware panels: listed addresses, and characters of the model that they see. */
    ...{ panelAddresses: 64, panelModel: 63 },
  },
  /** Maximum age of a session, even if it is in use. */
  sessionDays: 90,
  sessionMinutes: { min: -1, max: 1440, default: 30, never: -1 },
  /**
   * Rows that logs and other long records return if `count` is absent, and the most that any list returns. Lists of
   * objects, which are not longer than that, are then whole.
   */
  page: { default: 100, max: 1024 },
  /** Tasks that run at once, in total and per user; ended tasks that are kept; items of a task, and what it may find. */
  tasks: { running: 64, perUser: 16, kept: 100, items: 5000, results: 1000 },
  /** Outputs and clients of a channel that are returned if the request has no paging. */
  innerPage: 10,
  /** Bytes of one uploaded file, and of all whose upload has not ended. */
  uploads: { maxBytes: 2 * 1024 ** 3, waitingBytes: 4 * 1024 ** 3, name: 255 },
  /** Entries that the operation log keeps (plus a tenth of that for failed attempts), and their maximum age. */
  logEntries: 100_000,
  logDays: 730,
  /** Lines of the system log. */
  systemLogLines: 50_000,
  logKey: { max: 100 },
  /** A search for a frequent text stops counting its matches at this number. */
  logCounted: 1000,
  /** State changes that are kept for each channel, and their maximum age. */
  runEvents: 1000,
  runEventDays: 30,
  failover: {
    noDataMs: { min: 100, max: 10_000, default: 300 },
    /** Time without video, or without audio. */
    quietMs: { min: 200, max: 60_000 },
    stableSeconds: { min: 1, max: 3600, default: 10 },
  },
  /** Bytes of a file; names in a request. */
  certificate: { maxBytes: 64 * 1024, names: 32 },
  /** In a settings file. */
  wifiNetworks: 256,
  /**
   * Bytes of a settings file: one of 5,000 devices has 4 MB. In a call it is text within JSON, which is longer. Depth of
   * its values.
   */
  settingsFile: {
    ...{ maxBytes: 8 * 1024 ** 2, maxBodyBytes: 12 * 1024 ** 2, depth: 16, sections: 64 },
    passphrase: { min: 8, max: 128 },
  },
  slatePicture: { maxBytes: 4 * 1024 * 1024, maxSide: 4096 },
  alarms: 10_000,
  /** How long alarms are muted at a time, in minutes. */
  muteMinutes: { min: 1, max: 1440 },
  alarm: {
    seconds: { min: 1, max: 3600 },
    kbps: { min: 1, max: 1_000_000 },
    perMinute: { min: 1, max: 100_000 },
    percent: { min: 1, max: 100 },
    celsius: { min: 30, max: 120 },
    /** So many devices with the same fault at a time are one alarm. */
    devicesAtOnce: 20,
  },
  webhookSecret: { max: 128 },
  mail: { recipients: 16, address: 254, user: 128, password: 256 },
  requestTimeoutMs: 20_000,
  historyMinutes: 60,
} as const;

/** `expire` of a token that never expires. */
export const endless = -1;
