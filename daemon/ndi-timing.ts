/** Waiting times of the NDI router: a part of the table in `shipped-timing.ts`. */
export const ndiTiming = {
  ndi: {
    /** A process has loaded the library and sends its hello within this time after it starts. */
    startMs: 10_000,
    /** Delay before the second restart in a row; doubles up to `lastBackoffMs`. The first restart is immediate. */
    firstBackoffMs: 250,
    lastBackoffMs: 10_000,
    /** A run of this length clears the failures before it. */
    goodRunMs: 60_000,
    /** Interval between pings. A process that does not answer three of them in a row is killed. */
    silenceCheckMs: 1000,
    /** FFmpeg hangs if it takes none of the frames that a process writes for this long. Less than three pings. */
    unreadMs: 2000,
    /** A source that has not changed its format for this long gets another encoder at once when it does. */
    steadyMs: 10_000,
    /** Otherwise the new format must last this long. */
    stableMs: 2000,
    /** A change of routes is acknowledged within this time. */
    applyMs: 2000,
    /** How often the list of sources and the numbers of receivers are read. */
    pollMs: 500,
    /** Between clearing and destroying an output: its receivers get the black frame. */
    clearMs: 200,
    /** An output whose name was taken is tried again at this interval. */
    createAgainMs: 5000,
  },
  ndiServer: {
    /** The port of the discovery server must be open within this time after its start. */
    startMs: 10_000,
    /** Interval of attempts to connect to it. */
    connectEveryMs: 50,
    /** The same as those of `ndi`. */
    firstBackoffMs: 250,
    lastBackoffMs: 10_000,
    goodRunMs: 60_000,
    silenceCheckMs: 1000,
    /** How often the hub looks for a program that is not installed. */
    lookMs: 10_000,
  },
  ndiThumbnails: {
    /** A receiver is closed this long after the last request for its pictures. */
    lingerMs: 3000,
    /** The process ends this long after the last request for any picture. */
    idleMs: 30_000,
    /** Intervals: of changes of the set of receivers, of looks for new frames, and of pictures of one source. */
    tickMs: 200,
    lookMs: 100,
    pictureMs: 1000,
    /** The process pauses if the hub, which pings it every second, has sent nothing for this long. */
    hubSilentMs: 5000,
    /** While other sources wait, a receiver has its turn for this long, or for `emptyTurnMs` if no picture arrives. */
    turnMs: 1000,
    emptyTurnMs: 4000,
  },
  panels: {
    /** A connection without data for this long is tested, so that a panel that lost power frees its place. */
    keepAliveMs: 15_000,
    /** A port that cannot be opened is tried again after this time. */
    retryMs: 10_000,
  },
  mdns: {
    /** Least time between two messages to the group (RFC 6762, section 6). */
    apartMs: 1000,
    /** Interval of checks for new networks and for a new name of the service. */
    lookMs: 15_000,
  },
  ndiRouter: {
    /** A source must be away this long before outputs switch to its substitute. */
    lostMs: 2000,
    /** A source that is back must stay this long before outputs return to it. */
    backMs: 5000,
    /** After this time, the NDI process has found the sources on the network. */
    settleMs: 10_000,
  },
} as const;
