/** Pulls an RTSP stream as MPEG-TS over the preferred transport, or over the other one if that fails. */
import { connectionStates } from '../../contract/streams.ts';
import type { DatagramReport } from '../../media/protocol/reported.ts';
import type { RtspStream } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import { broken, failure } from '../connection/fetch-failure.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { RtspRemux } from './remux.ts';
import { RtspSession, type RtspTransport, TransportFailure } from './session.ts';

interface RtspPullOptions extends Omit<RtspStream, 'protocol'> {
  readonly outgoing: EngineOutgoing;
  readonly signal: AbortSignal;
  /** `packets`: returns the current reception statistics. */
  readonly onConnected: (packets: () => DatagramReport) => void;
  /** Called only after `onConnected`. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

const { stalledMs, firstOutputMs } = timing.rtspPull;
const watchMs = 500;

/** Runs until the stream ends or `signal` aborts. Rejects with a FetchFailure in both cases. */
export async function pullRtsp(options: RtspPullOptions): Promise<never> {
  const order: readonly RtspTransport[] = options.tcpFirst ? ['tcp', 'udp'] : ['udp', 'tcp'];
  let left = order;
  for (;;) {
    try {
      await play(options, left);
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      left = order.slice(order.indexOf(error.transport) + 1);
      if (left.length === 0) throw error;
    }
  }
}

async function play(options: RtspPullOptions, transports: readonly RtspTransport[]): Promise<never> {
  let hasBytes = false;
  const session = await RtspSession.open({
    ...options,
    transports,
    answerMs: timing.rtspPull.answerMs,
    firstPacketMs: { udp: timing.rtspPull.firstUdpPacketMs, tcp: timing.rtspPull.firstTcpPacketMs },
    openRemux(media, lateMs) {
      const remux: RtspRemux = new RtspRemux({
        media,
        lateMs,
        onBytes(bytes) {
          if (!hasBytes) options.onConnected(() => remux.reception.report(performance.now()));
          hasBytes = true;
          options.onBytes(bytes);
        },
      });
      return remux;
    },
  });
  try {
    return await endOf(session, () => hasBytes, options.signal);
  } finally {
    session.close();
  }
}

/** Rejects with the cause when the session ends, packets stop arriving, or no output is produced. */
async function endOf(session: RtspSession, hasBytes: () => boolean, signal: AbortSignal): Promise<never> {
  const end = Promise.withResolvers<never>();
  session.closed.then(end.reject).catch(end.reject);
  const stop = () => end.reject(broken('closedByPeer', 'stopped'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - session.packetAt > stalledMs) end.reject(broken('stalled', `no packet came for ${stalledMs / 1000} s`));
    if (!hasBytes() && now - startedAt > firstOutputMs) {
      const text = `packets came, but no picture or sound that can be read, for ${firstOutputMs / 1000} s`;
      end.reject(failure(connectionStates.streamFailed, 'badInput', text));
    }
  }, watchMs);
  try {
    return await end.promise;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  }
}
