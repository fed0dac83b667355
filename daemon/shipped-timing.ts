/**
 * Timeouts and delays, in milliseconds, that determine the behavior of the hub and the engine. Pacing steps, batch
 * times and durations that a format prescribes are in their own modules.
 */

import { applianceTiming } from './appliance-timing.ts';
import { ndiTiming } from './ndi-timing.ts';

export const shippedTiming = {
  ...applianceTiming,
  ...ndiTiming,
  dbus: {
    /** A service answers a call within this time. */
    callMs: 10_000,
    /** The bus accepts a connection within this time. */
    connectMs: 3000,
    /** While something is watched, the hub connects again this long after the bus has ended the connection. */
    reconnectMs: 1000,
  },
  confirmedChange: {
    /** Time for the answer to leave before the change, which may cut the connection, takes effect. */
    applyAfterMs: 150,
    /** Interval of comparisons with the clock while a change is not finished; doubled each time that a step fails. */
    checkMs: 500,
    /** Longest time until a step that failed is tried again. */
    retryMs: 5000,
    /** The hub undoes a change this long after its time is over: the system's own mechanism comes first. */
    graceMs: 1000,
    /** Length of one of the seconds in which a change must be confirmed: tests shorten them. */
    secondMs: 1000,
  },
  supervisor: {
    /** The engine sends its hello within this time after the hub connects. */
    helloMs: 2000,
    /** The engine sends its hello within this time after its process starts. */
    startMs: 10_000,
    /** An engine that has not exited this long after the request to stop is killed. */
    stopMs: 3000,
    /** Delay before the second restart in a row; doubles up to `lastBackoffMs`. The first restart is immediate. */
    firstBackoffMs: 500,
    lastBackoffMs: 30_000,
    /** A run of this length clears the failures before it. */
    goodRunMs: 60_000,
    /** Interval between checks. A process that sends nothing for three of them in a row counts as hung. */
    silenceCheckMs: 5000,
  },
  endpoint: {
    /** A native endpoint sends its hello within this time after its process starts. */
    helloMs: 5000,
    /** An endpoint that has not exited this long after the request to stop is killed. */
    stopMs: 3000,
    /** An endpoint that does not read its socket for this long is killed. */
    blockedMs: 10_000,
    checkMs: 1000,
  },
  engine: {
    /** Interval between retries of missing parts, such as an occupied port or an FFmpeg that is not installed. */
    recheckMs: 5000,
  },
  backoff: {
    /** Delay before the first retry of a connection; doubles up to `lastMs`. */
    firstMs: 500,
    lastMs: 30_000,
    /** Delay before the first retry after failures that rarely resolve by themselves: DNS, authorization. */
    permanentMs: 10_000,
    /** Each period of this length with data flowing clears one failure. */
    goodMs: 2500,
  },
  input: {
    /** A publisher that sends nothing for this long loses the key. */
    stalledMs: 10_000,
    /** A publisher that sends nothing for this long is replaced by another one with the same key. */
    silentMs: 2000,
    /** Outputs stay connected this long after the last packet, so that they are ready when an encoder restarts. */
    holdMs: 10_000,
  },
  flow: {
    /** A connection that receives nothing for this long is in the state "waiting for data". */
    noDataMs: 2000,
    /** A receiver waits this long for a random access point of a flowing stream, then it starts without one. */
    entryWaitMs: 2000,
  },
  conversion: {
    /** A conversion without readers is kept this long, because players return and need the current GOP. */
    lingerMs: 10_000,
  },
  ffmpeg: {
    /** FFmpeg prints its version within this time. */
    versionMs: 5000,
    /** An FFmpeg process that has not exited this long after the request to stop is killed. */
    killAfterMs: 3000,
  },
  failover: {
    /** At the start, the backup input waits this long for the main input. */
    headStartMs: 5000,
    /** Time limit for opening an input that the user selects. */
    requestMs: 10_000,
    /** A backup that is pulled on demand is released after the main input has been good for this long. */
    releaseMs: 5000,
    /** FFmpeg encodes the slate within this time. */
    slateMs: 20_000,
  },
  rtmpRelay: {
    /** A publisher's socket is given to the RTMP endpoint this long after it was opened or returned. */
    pauseMs: 1000,
    /** The same after it was returned many times in a row. */
    lastPauseMs: 60_000,
  },
  rtmpServer: {
    handshakeMs: 5000,
    /** A client sends publish or play within this time after the handshake. */
    idleMs: 10_000,
    /** A publisher that sends nothing for this long is disconnected, unless the engine has ended it before. */
    publisherIdleMs: 15_000,
    /** A peer that reads nothing for this long while data is queued for it is disconnected. */
    stallMs: 10_000,
    /** A refused client has this long to read the reason. */
    lingerMs: 1000,
  },
  rtmpClient: {
    /** Time limit for each stage of a connection: DNS, TCP, TLS, handshake, connect, publish or play. */
    stageMs: 5000,
    /** A server that reads nothing for this long while data is queued for it is disconnected. */
    stallMs: 10_000,
    /** Long, because servers may keep players waiting for a stream that has not started. */
    idleMs: 60_000,
    /** A push that stops has this long to finish a partly written message. */
    flushMs: 500,
  },
  rtspServer: {
    /** A session without requests or reports ends after this time. */
    sessionMs: 60_000,
    /** A connection without a session ends after this time. */
    idleMs: 15_000,
    stallMs: 10_000,
    /** Delay before the response to a wrong password. */
    wrongLoginMs: 500,
    /** A player waits at most this long for a stream to start. */
    streamWaitMs: 5000,
    /** It then waits at most this long for video or audio that the stream should have. */
    trackWaitMs: 2000,
    /** Interval of the sender reports. */
    reportMs: 5000,
  },
  rtspPull: {
    answerMs: 5000,
    /** Short, because silence over UDP usually means a firewall that lets TCP through. */
    firstUdpPacketMs: 3000,
    firstTcpPacketMs: 10_000,
    stalledMs: 10_000,
    /** Long, because a stream may have a keyframe every ten seconds only. */
    firstOutputMs: 20_000,
  },
  httpPull: {
    /** A response begins within this time. */
    answerMs: 8000,
    /** The longest pause within a response body. */
    pauseMs: 10_000,
    /** A live playlist unchanged for this long counts as ended, unless its target duration allows more. */
    staleMs: 10_000,
  },
  outgoing: {
    /** Time limit for resolving the host name of a server. */
    lookupMs: 5000,
    /** Time limit for the check whether a server accepts connections at all. */
    connectMs: 2000,
    /** How often a UDP output checks whether its host name resolves to another address. */
    lookupAgainMs: 30_000,
  },
  streamKeys: {
    /** Wrong stream keys of an address are counted until there was none for this long. */
    guessWindowMs: 60_000,
    /** For an address with many wrong keys, one key is checked per period of this length. */
    guessEveryMs: 1000,
    /** An attempt that would have to wait longer is refused immediately. */
    guessWaitMs: 5000,
  },
  tcp: {
    /** Idle time before the first keep-alive probe. */
    keepAliveMs: 15_000,
    /** While most places of a listener are taken, connections that neither publish nor play end after this time. */
    crowdedIdleMs: 2000,
  },
  hls: {
    /** Wait for the first segment, which needs a keyframe and, for some publishers, FFmpeg to start. */
    firstSegmentMs: 8000,
    /** Segments are kept this long without requests, so that a viewer can reload the page and continue. */
    lingerMs: 15_000,
    /** A request for a part waits at most this long. Must be shorter than `httpServer.idleMs`. */
    longestWaitMs: 20_000,
    /** A viewer that was disconnected is refused for this long; players give up sooner. */
    refusedMs: 30_000,
  },
  httpServer: {
    /** A connection is closed after this time without a request, or when its client stops reading. */
    idleMs: 30_000,
    /** An HTTP-TS client that reads nothing for this long is disconnected. */
    stallMs: 10_000,
  },
  sourceTest: {
    /** The engine tests a source for at most this long. */
    testMs: 10_000,
    /** The hub waits at most this long for the result. Must be longer than `testMs`. */
    answerMs: 13_000,
    /** The engine looks at the stream of a device for at most this long; less than `fleet.pollLimitMs`. */
    lookMs: 8000,
    /** The engine confirms within this time that a test has ended. */
    endMs: 2000,
  },
  engineCall: {
    /** Time limits for the engine's responses: live statistics, disconnecting a client, switching the input, images. */
    readMs: 2000,
    clientMs: 2000,
    switchMs: 5000,
    pictureMs: 2000,
  },
  preview: {
    /** The FFmpeg process that makes a channel's images ends this long after the last request for them. */
    lingerMs: 5000,
    /** A channel's turn ends after this time without an image if other channels are waiting. */
    emptyTurnMs: 6000,
    /** A decoder that takes this long for one image counts as stuck. */
    stuckMs: 5000,
    /** A client that reads no images for this long is disconnected. */
    stallMs: 15_000,
    stallCheckMs: 2000,
    /** Time limit for a request of the live preview. Must be longer than `hls.longestWaitMs`. */
    requestMs: 30_000,
  },
  alarms: {
    /** No alarm begins this soon after the engine starts, because encoders and destinations take time to reconnect. */
    startMs: 5000,
    /** The bitrate of an encoder is not checked for this long after it connects. */
    settlingMs: 3000,
    /** An alarm ends after its cause has been gone for this long. */
    clearMs: 3000,
    /** A growing peak is reported at most this often. */
    growthMs: 10_000,
  },
  webhook: {
    answerMs: 5000,
    /** Delay before the first retry; doubles up to `maxRetryMs`. */
    firstRetryMs: 2000,
    maxRetryMs: 600_000,
  },
  mail: {
    /** For each step: connecting, the greeting, and each further answer of the server. */
    stepMs: 10_000,
    /** For the whole mail. */
    sendMs: 60_000,
    /** At most one mail goes out in this time. */
    everyMs: 60_000,
    /** Delay before the first retry; doubles up to `maxRetryMs`. */
    firstRetryMs: 15_000,
    maxRetryMs: 900_000,
  },
  runHistory: {
    /** Every connection begins without data. That is recorded only if it lasts this long. */
    beginningMs: 3000,
    /** Events are written in batches, at most this often. */
    writeMs: 1000,
    sweepMs: 3_600_000,
  },
  auth: {
    /** Wrong passwords of a name or an address are remembered for this long. */
    forgetMs: 15 * 60_000,
    /** Delay of the first response that is slowed down; doubles with each failure. */
    firstDelayMs: 250,
    /** The longest delay per address, and the longest wait of an address in the queue. */
    addressDelayMs: 8000,
    addressWaitMs: 8000,
    /** The same per name. */
    nameDelayMs: 2000,
    nameWaitMs: 12_000,
    /** A user who signed in from an address this recently is not delayed by the attempts of others there. */
    knownMs: 30 * 86_400_000,
    /** The last use of a session or token is stored at most this often. */
    touchMs: 60_000,
    /** A challenge is answered within this time. */
    challengeMs: 60_000,
  },
  log: {
    /** Repeated lines within this time are folded into one line with their number. */
    foldMs: 60_000,
  },
  journal: {
    /** Delay before journalctl is restarted; doubles up to `maxRetryMs`. */
    firstRetryMs: 1000,
    maxRetryMs: 60_000,
  },
  web: {
    /** Time limit for receiving the body of a request. */
    bodyMs: 20_000,
    /** Time limit for OpenSSL to create a certificate, and for the handshake that tries one. */
    opensslMs: 10_000,
    /** Before the listener of HTTPS is replaced, each connection ends with its response, for this long. */
    drainMs: 1000,
    /** The old listener stays open this long, because it carries the response to the call that moves the console. */
    moveGraceMs: 3000,
  },
  settings: {
    /** A change that could not be reverted, because its old port is in use, is tried again after this time. */
    revertRetryMs: 5000,
  },
  schedules: {
    /** A hub that has just started gives its devices this long before what they missed is made up for. */
    startMs: 20_000,
  },
  tasks: {
    /** Progress is stored this often; results of items are stored at once. */
    saveMs: 1000,
    /** A cancel, and the end of the hub, wait this long for work that takes a while to stop. */
    stopMs: 1000,
  },
  forwards: {
    /** Interval between checks of permissions and idle limits, and between figures. */
    checkMs: 1000,
    /** A port that could not be opened is tried again after this time. */
    retryMs: 10_000,
    /** The operation log says that an address has left when it has had no connection for this long. */
    visitMs: 60_000,
    /** The minute of idle limits. */
    minuteMs: 60_000,
  },
  uploads: {
    /** A connection that delivers nothing for this long is closed; its client may resume. */
    stallMs: 30_000,
    /** An upload for which nothing arrives for this long fails. */
    idleMs: 10 * 60_000,
    /** How often the permission of a sender is checked while data arrives. */
    recheckMs: 1000,
  },
  firmware: {
    /** A file that a published upload has sent is removed after this time, unless `firmware/add` takes it. */
    waitMs: 60 * 60_000,
  },
  deviceCall: {
    /** A device answers a call within this time. */
    answerMs: 5000,
    /** The same over OSC, where a lost packet is noticed by nobody else. */
    oscMs: 1500,
    /** The same for a call that changes something. */
    actMs: 10_000,
    /** A device may take this long to show a change that it has accepted. */
    settleMs: 10_000,
    /** How often it is asked meanwhile. */
    settleStepMs: 500,
    /** Settings that are shown together with the state are read this often. */
    settingsMs: 60_000,
    /** A stream that a device of another make provides is opened this often to see whether it is there. */
    streamMs: 15_000,
    /** How often a device is asked whether it updates its firmware, if that takes a call of its own. */
    updateMs: 10_000,
    /** After a rename, an encoder does not answer for this long. */
    encoderRenameMs: 15_000,
    /** A decoder restarts after a rename. */
    decoderRenameMs: 60_000,
    /** A device takes this long to restart. */
    rebootMs: 60_000,
    /** A device that gets a file takes the next part of it, and checks the whole of it, within this time. */
    fileMs: 180_000,
  },
  upgrade: {
    /** How often a device is asked while it writes firmware or restarts, and how long one answer may take. */
    lookMs: 1000,
    askMs: 15_000,
    /** A device that was told to write begins within this time. */
    beginMs: 30_000,
    /** While it writes, it makes progress within this time. */
    stallMs: 10 * 60_000,
    /** When it restarts, it is back within this time. */
    backMs: 10 * 60_000,
    /** A device that does not answer when its turn comes has this time to do so. */
    patienceMs: 10_000,
    /** The same after a restart of the hub, which devices and their agents have to find again. */
    returnMs: 2 * 60_000,
  },
  link: {
    /** After this much silence on the link of a device, either side sends a ping. */
    pingMs: 15_000,
    /** After this much silence the link has ended. */
    deadMs: 40_000,
    /** The same while a user waits for the device. */
    probeMs: 5000,
    /** Interval between checks of these times. */
    tickMs: 500,
    /** A device is connected, TLS included, within this time. */
    connectMs: 10_000,
    /** A device and a hub identify each other within this time. */
    handshakeMs: 10_000,
    /** The first retry of a device is after a random time up to this; doubles up to `lastRetryMs`. */
    firstRetryMs: 2000,
    lastRetryMs: 60_000,
    /** A link that was up for this long clears the failures before it. */
    goodMs: 60_000,
    /** A refused device tries again after a random time between these. */
    refusedLeastMs: 5 * 60_000,
    refusedMostMs: 15 * 60_000,
    /** A port of the device accepts a connection within this time. */
    portConnectMs: 5000,
    /** A socket to a port of a device is closed after this time without connections. */
    bridgeIdleMs: 60_000,
    /** A peer confirms within this time that a link is closed. */
    closeMs: 1000,
  },
  deviceConsole: {
    /** A ticket for the page of a device is used within this time. */
    ticketMs: 30_000,
    /** The same, if a person has to confirm that another device had this origin before. */
    confirmMs: 5 * 60_000,
    /** The session of a page that makes no requests for this long has ended. */
    idleMs: 30 * 60_000,
    /** A connection sends a request within this time. */
    requestMs: 15_000,
    /** A device answers a read within this time. */
    answerMs: 20_000,
    /** A device answers a write within this time after the last byte that was sent to it: it may write to its flash. */
    slowAnswerMs: 2 * 60_000,
    /** A response of which nothing arrives or is taken for this long has ended. */
    stallMs: 2 * 60_000,
    /** One end of a WebSocket ends within this time after the other one. */
    closeMs: 5000,
    /** Interval between checks of who may still use the pages that are open. */
    checkMs: 500,
  },
  agent: {
    /** Pause before the agent asks a device again that did not answer. */
    identifyAgainMs: 10_000,
  },
  discovery: {
    /** Devices have this long to answer a question to all of them, which is repeated once after `againMs`. */
    listenMs: 4000,
    againMs: 1000,
    /** An address accepts connections within this time. */
    connectMs: 1000,
    /** Limit for finding out which API an address has, in several requests. */
    recognizeMs: 8000,
    /** A device sends its description within this time. */
    describeMs: 2000,
  },
  health: {
    /** `signalbox health` waits this long for the hub. */
    answerMs: 5000,
  },
  apply: {
    /** `signalbox apply` waits this long for an answer: the hub derives a key from the passphrase. */
    answerMs: 30_000,
    /** The same at an address that the hub may no longer have, or not yet. */
    reachMs: 3000,
    /** Limit and interval of the wait for the hub to come back. */
    backMs: 60_000,
    pollMs: 500,
  },
  power: {
    /** Between the answer to a reboot, reset or import and its beginning: every open console learns of it. */
    delayMs: 2000,
    /** Delay before a failed reset of settings of the operating system is tried again. */
    resetRetryMs: 5000,
  },
  hub: {
    /** The hub exits within 5 s of SIGTERM, even if something hangs. */
    stopLimitMs: 4800,
    /** A terminal and a parent process often both forward one signal: a second signal within this time is ignored. */
    sameSignalMs: 1000,
    /** Calls in progress have this long to complete when the hub stops. */
    stopGraceMs: 500,
    sweepMs: 10 * 60_000,
  },
  fleet: {
    /** Interval between requests for the state of a device that somebody watches. */
    watchedMs: 1000,
    /** The same for the others while the fleet has up to 500 devices; a larger fleet is polled more rarely. */
    unwatchedMs: 5000,
    slowestMs: 30_000,
    /** Pause after the first request without an answer; the second one makes the device offline. */
    againMs: 1000,
    /** Pause after the second one, and what each further one adds to it. */
    offlineMs: 10_000,
    longestPauseMs: 60_000,
    watchedPauseMs: 5000,
    /** How often a device that restarts is asked whether it is back, after half of the expected time. */
    silentMs: 5000,
    /** Limits of a request for the state, which may have several calls, and of an act. */
    pollLimitMs: 15_000,
    actLimitMs: 30_000,
  },
  wifi: {
    /** A scan ends within this time. */
    scanMs: 15_000,
    /** The hub has joined a network within this time, including its DHCP server. */
    joinMs: 45_000,
    /** A DHCP server of a Wi-Fi or USB network assigns an address within this time. */
    dhcpMs: 15_000,
  },
} as const;
