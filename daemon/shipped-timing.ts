/**
 * The waiting times that decide how the hub and the engine behave, in milliseconds. Pacing steps, batch times and what
 * the formats themselves prescribe stay in the modules they belong to.
 */

export const shippedTiming = {
  supervisor: {
    /** The engine's hello after the hub connects. */
    helloMs: 2000,
    /** From the start of the engine's process to its hello. */
    startMs: 10_000,
    /** The engine ends by itself within this time, or is killed. */
    stopMs: 3000,
    /** Before the second restart in a row; doubles up to `lastBackoffMs`. The first one is immediate. */
    firstBackoffMs: 500,
    lastBackoffMs: 30_000,
    /** A run of this length clears the failures before it. */
    goodRunMs: 60_000,
    /** Three of these in a row without a word from the engine: it hangs. */
    silenceCheckMs: 5000,
  },
  endpoint: {
    /** From the start of a native endpoint's process to its hello. */
    helloMs: 5000,
    /** The endpoint ends by itself within this time, or is killed. */
    stopMs: 3000,
    /** An endpoint that leaves its socket unread for this long is killed. */
    blockedMs: 10_000,
    checkMs: 1000,
  },
  engine: {
    /** Missing parts are tried again this often: an occupied port, an FFmpeg that gets installed. */
    recheckMs: 5000,
  },
  backoff: {
    /** Before the first retry of a connection; doubles up to `lastMs`. */
    firstMs: 500,
    lastMs: 30_000,
    /** The first retry where the cause rarely goes away by itself: DNS, authorization. */
    hopelessMs: 10_000,
    /** Each such period of good flow clears one failure. */
    goodMs: 2500,
  },
  input: {
    /** A publisher that sends nothing for this long loses the key. */
    stalledMs: 10_000,
    /** Outputs stay connected this long after the last packet: an encoder that restarts finds them ready. */
    holdMs: 10_000,
  },
  flow: {
    /** A connection without bytes for this long waits for data. */
    noDataMs: 2000,
  },
  conversion: {
    /** A conversion without a reader is kept this long: players return, and FFmpeg takes a second to start. */
    lingerMs: 10_000,
    /** An FFmpeg that has input and produces nothing for this long is ended. */
    stuckMs: 5000,
  },
  ffmpeg: {
    /** FFmpeg names its version within this time. */
    versionMs: 5000,
    /** FFmpeg ends by itself within this time, or is killed. */
    killAfterMs: 3000,
  },
  failover: {
    /** At the start the main input has this long before the backup may begin. */
    headStartMs: 5000,
    /** An input that is selected by hand and opened for that has this long. */
    wishMs: 10_000,
    /** A backup that is only fetched when needed is released after the main input was good for this long. */
    releaseMs: 5000,
    /** FFmpeg encodes the slate within this time. */
    slateMs: 20_000,
  },
  rtmpServer: {
    handshakeMs: 5000,
    /** From the handshake to publish or play. */
    idleMs: 10_000,
    /** A publisher that sends nothing for this long is gone, if the engine didn't say so before. */
    publisherIdleMs: 15_000,
    /** A peer that takes nothing for this long although bytes wait is gone. */
    stallMs: 10_000,
    /** A refused client has this long to read why. */
    lingerMs: 1000,
  },
  rtmpClient: {
    /** Each stage of a call: DNS, TCP, TLS, handshake, connect, publish or play. */
    stageMs: 5000,
    /** A server that takes nothing for this long although bytes wait is gone. */
    stallMs: 10_000,
    /** Servers let players wait for a stream that will come, so silence is long before it is a fault. */
    idleMs: 60_000,
    /** A stopped push completes what is half written within this time. */
    flushMs: 500,
  },
  rtspServer: {
    /** A session without requests or reports ends after this. */
    sessionMs: 60_000,
    /** A connection without a session ends after this. */
    idleMs: 15_000,
    stallMs: 10_000,
    /** Before the answer to a wrong password. */
    wrongLoginMs: 500,
    /** A player waits this long for a stream that doesn't come. */
    streamWaitMs: 5000,
    /** It then waits this long for picture or sound that the stream should have. */
    trackWaitMs: 2000,
    /** Interval of the sender reports. */
    reportMs: 5000,
  },
  rtspPull: {
    answerMs: 5000,
    /** Silence over UDP mostly is a firewall, and TCP gets through. */
    firstUdpPacketMs: 3000,
    firstTcpPacketMs: 10_000,
    stalledMs: 10_000,
    /** FFmpeg waits for a key frame, or for the parameters of every track. */
    firstOutputMs: 20_000,
    /** Packets go in, and nothing comes out. */
    stuckMs: 5000,
  },
  httpPull: {
    /** An answer begins within this time. */
    answerMs: 8000,
    /** A body pauses no longer than this. */
    pauseMs: 10_000,
    /** After a missing answer: whether the server accepts connections at all. */
    tcpProbeMs: 2000,
    /** A live playlist that stays the same for this long has ended, unless its target duration allows more. */
    staleMs: 10_000,
  },
  udp: {
    /** The name of a destination resolves within this time. */
    lookupMs: 5000,
  },
  tcp: {
    /** Idle time before the first keep-alive probe. */
    keepAliveMs: 15_000,
  },
  hls: {
    /** The first segment needs a key frame, and for some publishers an FFmpeg that starts. */
    firstSegmentMs: 8000,
    /** Segments are kept this long without a request: a viewer that reloads its page finds the window as it was. */
    lingerMs: 15_000,
    /** A request for a part waits this long. Shorter than `httpServer.idleMs`. */
    longestWaitMs: 20_000,
    /** A viewer that was disconnected is refused for this long; players give up within it. */
    refusedMs: 30_000,
  },
  httpServer: {
    /** A connection without a request, or whose reader takes nothing, is closed after this. */
    idleMs: 30_000,
    /** A reader of HTTP-TS whose socket takes nothing for this long is disconnected. */
    stallMs: 10_000,
  },
  sourceTest: {
    /** The engine tries a source for this long. */
    testMs: 10_000,
    /** The hub waits this long for the result. Longer than `testMs`. */
    answerMs: 13_000,
    /** The engine confirms within this time that a test ends. */
    endMs: 2000,
  },
  engineCall: {
    /** The engine's answer: live figures, disconnecting a client, changing the input, pictures. */
    readMs: 2000,
    clientMs: 2000,
    switchMs: 5000,
    pictureMs: 2000,
  },
  preview: {
    /** The FFmpeg of a channel's pictures ends this long after the last look at them. */
    lingerMs: 5000,
    /** A turn without a picture ends after this when other channels wait. */
    emptyTurnMs: 6000,
    /** A decoder that takes this long for one picture is stuck. */
    stuckMs: 5000,
    /** A reader of pictures that takes nothing for this long is gone. */
    stallMs: 15_000,
    stallCheckMs: 2000,
    /** A request for live preview. Longer than `hls.longestWaitMs`. */
    requestMs: 30_000,
  },
  alarms: {
    /** No alarm begins before this after the engine starts: encoders and destinations return one after another. */
    startMs: 5000,
    /** The rate of an encoder that just connected is not judged before this. */
    settlingMs: 3000,
    /** An alarm ends after its cause is gone for this long. */
    clearMs: 3000,
    /** A growing peak is news at most this often. */
    growthMs: 10_000,
  },
  webhook: {
    answerMs: 5000,
    /** Before the first retry; doubles up to `mostRetryMs`. */
    firstRetryMs: 2000,
    mostRetryMs: 600_000,
  },
  runHistory: {
    /** Every connection begins without data. It is news when that lasts. */
    beginningMs: 3000,
    /** Events are written together, at most this often. */
    writeMs: 1000,
    sweepMs: 3_600_000,
  },
  auth: {
    /** Wrong passwords of a name or an address are remembered for this long. */
    forgetMs: 15 * 60_000,
    /** Before the answer to the first guess that is slowed down; doubles. */
    firstDelayMs: 250,
    /** The longest delay of one address, and the longest it may wait in the queue. */
    addressDelayMs: 8000,
    addressWaitMs: 8000,
    /** The same of one name. */
    nameDelayMs: 2000,
    nameWaitMs: 12_000,
    /** The last use of a session or token is stored at most this often. */
    touchMs: 60_000,
  },
  journal: {
    /** Before journalctl is started again; doubles up to `mostRetryMs`. */
    firstRetryMs: 1000,
    mostRetryMs: 60_000,
  },
  web: {
    /** The body of a request arrives within this time. */
    bodyMs: 20_000,
    /** OpenSSL makes a certificate within this time. */
    opensslMs: 10_000,
    /** The call that moves the console gets its answer over the listener that closes. */
    moveGraceMs: 3000,
  },
  hub: {
    /** The hub is gone within 5 s of SIGTERM, whatever hangs. */
    stopLimitMs: 4800,
    /** A terminal and the program that started the hub often both pass one signal on: a later one counts. */
    sameSignalMs: 1000,
    /** Calls in progress complete within this time when the hub stops. */
    stopGraceMs: 500,
    sweepMs: 10 * 60_000,
  },
} as const;
