/** The timeouts of this process: the shipped ones or, in tests, with the slow ones divided. */
import { shippedTiming } from './shipped-timing.ts';

type Shipped = typeof shippedTiming;
export type Timing = { readonly [G in keyof Shipped]: { readonly [N in keyof Shipped[G]]: number } };

/**
 * Minimums that apply to every divisor. A loaded machine needs this long to start a process, to encode, or to schedule
 * a healthy peer. Some times are measured with a tick that always takes one second.
 */
const leastMs: { readonly [G in keyof Shipped]?: { readonly [N in keyof Shipped[G]]?: number } } = {
  confirmedChange: { retryMs: 1000 },
  dbus: { callMs: 3000, connectMs: 1000 },
  network: { dhcpMs: 2000, activateMs: 6000 },
  supervisor: { helloMs: 2000, startMs: 10_000, stopMs: 3000, silenceCheckMs: 2000 },
  ndi: { startMs: 10_000, silenceCheckMs: 1000, applyMs: 2000, unreadMs: 2000, steadyMs: 10_000, stableMs: 2000 },
  ndiThumbnails: { hubSilentMs: 5000 },
  ndiServer: { startMs: 10_000, silenceCheckMs: 1000 },
  endpoint: { helloMs: 5000, blockedMs: 4000 },
  engineCall: { readMs: 2000, clientMs: 2000, switchMs: 5000, pictureMs: 2000 },
  sourceTest: { endMs: 2000, testMs: 5000, answerMs: 8000, lookMs: 5000 },
  auth: { challengeMs: 30_000 },
  web: { opensslMs: 10_000 },
  deviceCall: { answerMs: 3000, oscMs: 1500, actMs: 5000, settleMs: 3000 },
  discovery: { listenMs: 3000, againMs: 1000, connectMs: 1000, recognizeMs: 6000, describeMs: 2000 },
  health: { answerMs: 5000 },
  apply: { answerMs: 30_000, reachMs: 3000, backMs: 30_000 },
  power: { delayMs: 1000 },
  hub: { stopLimitMs: 4800, sameSignalMs: 1000 },
  ffmpeg: { versionMs: 5000 },
  failover: { slateMs: 20_000, headStartMs: 5000 },
  preview: { stuckMs: 5000, lingerMs: 2000 },
  rtspPull: {
    firstOutputMs: 20_000,
    answerMs: 3000,
    firstUdpPacketMs: 3000,
    firstTcpPacketMs: 4000,
    stalledMs: 4000,
  },
  hls: { firstSegmentMs: 8000, lingerMs: 9000 },
  input: { stalledMs: 6000, silentMs: 2000, holdMs: 4000 },
  outgoing: { lookupMs: 2000, connectMs: 2000 },
  rtmpServer: { handshakeMs: 3000, idleMs: 3000, publisherIdleMs: 8000, stallMs: 4000 },
  rtmpClient: { stageMs: 3000, stallMs: 4000, idleMs: 8000 },
  rtspServer: { stallMs: 4000, streamWaitMs: 3000, trackWaitMs: 2000 },
  streamKeys: { guessEveryMs: 1000, guessWaitMs: 5000 },
  tcp: { crowdedIdleMs: 2000 },
  httpServer: { idleMs: 9000, stallMs: 4000 },
  httpPull: { answerMs: 3000, pauseMs: 4000 },
  flow: { noDataMs: 2000, entryWaitMs: 2000 },
  runHistory: { beginningMs: 3000 },
  alarms: { settlingMs: 3000 },
  webhook: { answerMs: 3000 },
  mail: { stepMs: 3000, sendMs: 6000 },
  upgrade: { askMs: 3000, beginMs: 3000, returnMs: 6000 },
  uploads: { stallMs: 3000, idleMs: 10_000 },
  link: { pingMs: 1000, deadMs: 4000, probeMs: 2000, connectMs: 4000, handshakeMs: 4000, portConnectMs: 2000 },
  deviceConsole: { ticketMs: 10_000, requestMs: 5000, answerMs: 4000 },
  helper: {
    requestMs: 3000,
    turnMs: 10_000,
    limitMs: 20_000,
    answerMs: 20_000,
    nftMs: 5000,
    chronycMs: 3000,
    systemMs: 15_000,
  },
  fleet: { pollLimitMs: 6000, actLimitMs: 12_000 },
  wifi: { scanMs: 5000, joinMs: 10_000, dhcpMs: 2000 },
};

const slowFromMs = 1000;
const maxDivisor = 20;

/** Returns the table with all times of one second or more divided by `divisor`, down to their minimum. */
export function dividedTiming(divisor: number): Timing {
  const least: Readonly<Record<string, Readonly<Record<string, number>> | undefined>> = leastMs;
  const groups = Object.entries(shippedTiming).map(([group, times]) => {
    const divided = Object.entries(times).map(([name, ms]) => {
      const floor = ms < slowFromMs ? ms : (least[group]?.[name] ?? 0);
      return [name, Math.max(floor, Math.round(ms / divisor))];
    });
    return [group, Object.fromEntries(divided)];
  });
  return Object.fromEntries(groups) as Timing;
}

export const timeDivisorName = 'SIGNALBOX_TIME_DIVISOR';
export const timeDivisorRule = `a whole number from 1 to ${maxDivisor}`;

/** Returns undefined if `text` breaks the rule; without text, returns 1. */
export function readTimeDivisor(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return 1;
  const divisor = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return divisor >= 1 && divisor <= maxDivisor ? divisor : undefined;
}

/** The timeouts of this process. The hub refuses to start with a divisor that breaks the rule (config.ts). */
export const timing: Timing = dividedTiming(readTimeDivisor(process.env[timeDivisorName]) ?? 1);
