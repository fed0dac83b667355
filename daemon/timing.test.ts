import { expect, test } from 'bun:test';
import { shippedTiming } from './shipped-timing.ts';
import { dividedTiming, readTimeDivisor, timing } from './timing.ts';

test('the shipped waiting times are as specified here', () => {
  expect(shippedTiming).toEqual({
    supervisor: {
      helloMs: 2000,
      startMs: 10_000,
      stopMs: 3000,
      firstBackoffMs: 500,
      lastBackoffMs: 30_000,
      goodRunMs: 60_000,
      silenceCheckMs: 5000,
    },
    endpoint: { helloMs: 5000, stopMs: 3000, blockedMs: 10_000, checkMs: 1000 },
    engine: { recheckMs: 5000 },
    backoff: { firstMs: 500, lastMs: 30_000, permanentMs: 10_000, goodMs: 2500 },
    input: { stalledMs: 10_000, silentMs: 2000, holdMs: 10_000 },
    flow: { noDataMs: 2000, entryWaitMs: 2000 },
    conversion: { lingerMs: 10_000 },
    ffmpeg: { versionMs: 5000, killAfterMs: 3000 },
    failover: { headStartMs: 5000, requestMs: 10_000, releaseMs: 5000, slateMs: 20_000 },
    rtmpRelay: { pauseMs: 1000, lastPauseMs: 60_000 },
    rtmpServer: { handshakeMs: 5000, idleMs: 10_000, publisherIdleMs: 15_000, stallMs: 10_000, lingerMs: 1000 },
    rtmpClient: { stageMs: 5000, stallMs: 10_000, idleMs: 60_000, flushMs: 500 },
    rtspServer: {
      sessionMs: 60_000,
      idleMs: 15_000,
      stallMs: 10_000,
      wrongLoginMs: 500,
      streamWaitMs: 5000,
      trackWaitMs: 2000,
      reportMs: 5000,
    },
    rtspPull: {
      answerMs: 5000,
      firstUdpPacketMs: 3000,
      firstTcpPacketMs: 10_000,
      stalledMs: 10_000,
      firstOutputMs: 20_000,
    },
    httpPull: { answerMs: 8000, pauseMs: 10_000, staleMs: 10_000 },
    outgoing: { lookupMs: 5000, connectMs: 2000, lookupAgainMs: 30_000 },
    streamKeys: { guessWindowMs: 60_000, guessEveryMs: 1000, guessWaitMs: 5000 },
    tcp: { keepAliveMs: 15_000, crowdedIdleMs: 2000 },
    hls: { firstSegmentMs: 8000, lingerMs: 15_000, longestWaitMs: 20_000, refusedMs: 30_000 },
    httpServer: { idleMs: 30_000, stallMs: 10_000 },
    sourceTest: { testMs: 10_000, answerMs: 13_000, lookMs: 8000, endMs: 2000 },
    engineCall: { readMs: 2000, clientMs: 2000, switchMs: 5000, pictureMs: 2000 },
    preview: {
      lingerMs: 5000,
      emptyTurnMs: 6000,
      stuckMs: 5000,
      stallMs: 15_000,
      stallCheckMs: 2000,
      requestMs: 30_000,
    },
    alarms: { startMs: 5000, settlingMs: 3000, clearMs: 3000, growthMs: 10_000 },
    webhook: { answerMs: 5000, firstRetryMs: 2000, maxRetryMs: 600_000 },
    mail: { stepMs: 10_000, sendMs: 60_000, everyMs: 60_000, firstRetryMs: 15_000, maxRetryMs: 900_000 },
    runHistory: { beginningMs: 3000, writeMs: 1000, sweepMs: 3_600_000 },
    auth: {
      forgetMs: 900_000,
      firstDelayMs: 250,
      addressDelayMs: 8000,
      addressWaitMs: 8000,
      nameDelayMs: 2000,
      nameWaitMs: 12_000,
      knownMs: 2_592_000_000,
      touchMs: 60_000,
      challengeMs: 60_000,
    },
    log: { foldMs: 60_000 },
    journal: { firstRetryMs: 1000, maxRetryMs: 60_000 },
    web: { bodyMs: 20_000, opensslMs: 10_000, moveGraceMs: 3000 },
    settings: { revertRetryMs: 5000 },
    tasks: { saveMs: 1000, stopMs: 1000 },
    forwards: { checkMs: 1000, retryMs: 10_000, visitMs: 60_000, minuteMs: 60_000 },
    uploads: { stallMs: 30_000, idleMs: 600_000, recheckMs: 1000 },
    firmware: { waitMs: 3_600_000 },
    deviceCall: {
      answerMs: 5000,
      oscMs: 1500,
      actMs: 10_000,
      settleMs: 10_000,
      settleStepMs: 500,
      settingsMs: 60_000,
      streamMs: 15_000,
      updateMs: 10_000,
      encoderRenameMs: 15_000,
      decoderRenameMs: 60_000,
      rebootMs: 60_000,
      fileMs: 180_000,
    },
    upgrade: {
      lookMs: 1000,
      askMs: 15_000,
      beginMs: 30_000,
      stallMs: 600_000,
      backMs: 600_000,
      patienceMs: 10_000,
      returnMs: 120_000,
    },
    link: {
      pingMs: 15_000,
      deadMs: 40_000,
      probeMs: 5000,
      tickMs: 500,
      connectMs: 10_000,
      handshakeMs: 10_000,
      firstRetryMs: 2000,
      lastRetryMs: 60_000,
      goodMs: 60_000,
      refusedLeastMs: 300_000,
      refusedMostMs: 900_000,
      portConnectMs: 5000,
      bridgeIdleMs: 60_000,
      closeMs: 1000,
    },
    deviceConsole: {
      ticketMs: 30_000,
      confirmMs: 300_000,
      idleMs: 1_800_000,
      requestMs: 15_000,
      answerMs: 20_000,
      slowAnswerMs: 120_000,
      stallMs: 120_000,
      closeMs: 5000,
      checkMs: 500,
    },
    agent: { identifyAgainMs: 10_000 },
    discovery: { listenMs: 4000, againMs: 1000, connectMs: 1000, recognizeMs: 8000, describeMs: 2000 },
    health: { answerMs: 5000 },
    hub: { stopLimitMs: 4800, sameSignalMs: 1000, stopGraceMs: 500, sweepMs: 600_000 },
    fleet: {
      watchedMs: 1000,
      unwatchedMs: 5000,
      slowestMs: 30_000,
      againMs: 1000,
      offlineMs: 10_000,
      longestPauseMs: 60_000,
      watchedPauseMs: 5000,
      silentMs: 5000,
      pollLimitMs: 15_000,
      actLimitMs: 30_000,
    },
  });
});

test('a process without the variable uses the shipped waiting times', () => {
  expect(timing).toEqual(shippedTiming);
  expect(dividedTiming(1)).toEqual(shippedTiming);
});

test('a divisor of 5 divides slow times, down to their minimum, and keeps those under a second', () => {
  expect(dividedTiming(5)).toEqual({
    supervisor: {
      helloMs: 2000,
      startMs: 10_000,
      stopMs: 3000,
      firstBackoffMs: 500,
      lastBackoffMs: 6000,
      goodRunMs: 12_000,
      silenceCheckMs: 2000,
    },
    endpoint: { helloMs: 5000, stopMs: 600, blockedMs: 4000, checkMs: 200 },
    engine: { recheckMs: 1000 },
    backoff: { firstMs: 500, lastMs: 6000, permanentMs: 2000, goodMs: 500 },
    input: { stalledMs: 6000, silentMs: 2000, holdMs: 4000 },
    flow: { noDataMs: 2000, entryWaitMs: 2000 },
    conversion: { lingerMs: 2000 },
    ffmpeg: { versionMs: 5000, killAfterMs: 600 },
    failover: { headStartMs: 5000, requestMs: 2000, releaseMs: 1000, slateMs: 20_000 },
    rtmpRelay: { pauseMs: 200, lastPauseMs: 12_000 },
    rtmpServer: { handshakeMs: 3000, idleMs: 3000, publisherIdleMs: 8000, stallMs: 4000, lingerMs: 200 },
    rtmpClient: { stageMs: 3000, stallMs: 4000, idleMs: 12_000, flushMs: 500 },
    rtspServer: {
      sessionMs: 12_000,
      idleMs: 3000,
      stallMs: 4000,
      wrongLoginMs: 500,
      streamWaitMs: 3000,
      trackWaitMs: 2000,
      reportMs: 1000,
    },
    rtspPull: {
      answerMs: 3000,
      firstUdpPacketMs: 3000,
      firstTcpPacketMs: 4000,
      stalledMs: 4000,
      firstOutputMs: 20_000,
    },
    httpPull: { answerMs: 3000, pauseMs: 4000, staleMs: 2000 },
    outgoing: { lookupMs: 2000, connectMs: 2000, lookupAgainMs: 6000 },
    streamKeys: { guessWindowMs: 12_000, guessEveryMs: 1000, guessWaitMs: 5000 },
    tcp: { keepAliveMs: 3000, crowdedIdleMs: 2000 },
    hls: { firstSegmentMs: 8000, lingerMs: 9000, longestWaitMs: 4000, refusedMs: 6000 },
    httpServer: { idleMs: 9000, stallMs: 4000 },
    sourceTest: { testMs: 5000, answerMs: 8000, lookMs: 5000, endMs: 2000 },
    engineCall: { readMs: 2000, clientMs: 2000, switchMs: 5000, pictureMs: 2000 },
    preview: { lingerMs: 2000, emptyTurnMs: 1200, stuckMs: 5000, stallMs: 3000, stallCheckMs: 400, requestMs: 6000 },
    alarms: { startMs: 1000, settlingMs: 3000, clearMs: 600, growthMs: 2000 },
    webhook: { answerMs: 3000, firstRetryMs: 400, maxRetryMs: 120_000 },
    mail: { stepMs: 3000, sendMs: 12_000, everyMs: 12_000, firstRetryMs: 3000, maxRetryMs: 180_000 },
    runHistory: { beginningMs: 3000, writeMs: 200, sweepMs: 720_000 },
    auth: {
      forgetMs: 180_000,
      firstDelayMs: 250,
      addressDelayMs: 1600,
      addressWaitMs: 1600,
      nameDelayMs: 400,
      nameWaitMs: 2400,
      knownMs: 518_400_000,
      touchMs: 12_000,
      challengeMs: 30_000,
    },
    log: { foldMs: 12_000 },
    journal: { firstRetryMs: 200, maxRetryMs: 12_000 },
    web: { bodyMs: 4000, opensslMs: 10_000, moveGraceMs: 600 },
    settings: { revertRetryMs: 1000 },
    tasks: { saveMs: 200, stopMs: 200 },
    forwards: { checkMs: 200, retryMs: 2000, visitMs: 12_000, minuteMs: 12_000 },
    uploads: { stallMs: 6000, idleMs: 120_000, recheckMs: 200 },
    firmware: { waitMs: 720_000 },
    deviceCall: {
      answerMs: 3000,
      oscMs: 1500,
      actMs: 5000,
      settleMs: 3000,
      settleStepMs: 500,
      settingsMs: 12_000,
      streamMs: 3000,
      updateMs: 2000,
      encoderRenameMs: 3000,
      decoderRenameMs: 12_000,
      rebootMs: 12_000,
      fileMs: 36_000,
    },
    upgrade: {
      lookMs: 200,
      askMs: 3000,
      beginMs: 6000,
      stallMs: 120_000,
      backMs: 120_000,
      patienceMs: 2000,
      returnMs: 24_000,
    },
    link: {
      pingMs: 3000,
      deadMs: 8000,
      probeMs: 2000,
      tickMs: 500,
      connectMs: 4000,
      handshakeMs: 4000,
      firstRetryMs: 400,
      lastRetryMs: 12_000,
      goodMs: 12_000,
      refusedLeastMs: 60_000,
      refusedMostMs: 180_000,
      portConnectMs: 2000,
      bridgeIdleMs: 12_000,
      closeMs: 200,
    },
    deviceConsole: {
      ticketMs: 10_000,
      confirmMs: 60_000,
      idleMs: 360_000,
      requestMs: 5000,
      answerMs: 4000,
      slowAnswerMs: 24_000,
      stallMs: 24_000,
      closeMs: 1000,
      checkMs: 500,
    },
    agent: { identifyAgainMs: 2000 },
    discovery: { listenMs: 3000, againMs: 1000, connectMs: 1000, recognizeMs: 6000, describeMs: 2000 },
    health: { answerMs: 5000 },
    hub: { stopLimitMs: 4800, sameSignalMs: 1000, stopGraceMs: 500, sweepMs: 120_000 },
    fleet: {
      watchedMs: 200,
      unwatchedMs: 1000,
      slowestMs: 6000,
      againMs: 200,
      offlineMs: 2000,
      longestPauseMs: 12_000,
      watchedPauseMs: 1000,
      silentMs: 1000,
      pollLimitMs: 6000,
      actLimitMs: 12_000,
    },
  });
});

test.each([1, 2, 5, 10, 20])('with a divisor of %d, times that must end before others still do', (divisor) => {
  const { httpServer, hls, input, preview, rtmpClient, rtmpServer, rtspPull, sourceTest, uploads } =
    dividedTiming(divisor);
  expect(rtspPull.stalledMs).toBeLessThanOrEqual(input.stalledMs);
  // A silent publisher ends as stalled before its connection is closed.
  expect(input.stalledMs).toBeLessThan(rtmpServer.publisherIdleMs);
  expect(input.stalledMs).toBeLessThan(rtmpClient.idleMs);
  // A blocking request is answered before its connection or its client times out.
  expect(hls.longestWaitMs).toBeLessThan(httpServer.idleMs);
  expect(hls.longestWaitMs).toBeLessThan(preview.requestMs);
  expect(hls.firstSegmentMs).toBeLessThan(httpServer.idleMs);
  // A client that waits for the first segment sends no other requests that would keep the segmenter alive.
  expect(hls.firstSegmentMs).toBeLessThan(hls.lingerMs);
  expect(sourceTest.testMs).toBeLessThan(sourceTest.answerMs);
  // A stalled connection is closed while its upload can still be resumed.
  expect(uploads.stallMs).toBeLessThan(uploads.idleMs);
});

test.each(['1', '5', '20', '', undefined])('the divisor %p is accepted', (text) => {
  expect(readTimeDivisor(text)).toBe(Number(text || 1));
});

test.each(['0', '21', '-1', '1.5', '5x', '1e1', ' 5', 'five'])('the divisor %p is refused', (text) => {
  expect(readTimeDivisor(text)).toBeUndefined();
});
