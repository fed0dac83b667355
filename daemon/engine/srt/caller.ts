/** Calls made by the endpoint for SRT caller outputs and inputs, as attempts of a connection. */
import { connectionStates } from '../../contract/streams.ts';
import type { ConnectionReason, SrtReport } from '../../media/protocol/reported.ts';
import type { SrtStream } from '../../sources/stream-address.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { endOfFetch } from '../connection/fetch-failure.ts';
import { endpointMissing } from '../connection/terminations.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { type CallEvent, type ConnectionStatistics, type EndpointOperation, streamOptions } from './protocol.ts';
import { reportOf } from './report.ts';
import { createSrtSource, type SrtSource } from './source.ts';

interface CallOptions {
  readonly channelId: number;
  readonly direction: 'send' | 'receive';
  readonly address: SrtStream;
  readonly events: AttemptEvents;
  /** Received bytes; only with `receive`. */
  readonly onBytes?: (bytes: Uint8Array) => void;
  /** The call is connected. */
  readonly onConnected?: (peer: string) => void;
  /** The call has ended, from either side. Called once. */
  readonly onOver?: (reason: ConnectionReason) => void;
}

export interface SrtCall extends Attempt {
  /** For a call that receives. */
  readonly source: SrtSource;
}

interface Call {
  readonly options: CallOptions;
  figures: ConnectionStatistics | undefined;
}

export function createSrtCalls(
  send: (operation: EndpointOperation) => boolean,
  outgoing: Pick<EngineOutgoing, 'resolve'>,
) {
  const open = new Map<number, Call>();
  let lastId = 0;

  function finish(id: number, end: Termination): void {
    const call = open.get(id);
    if (!open.delete(id) || !call) return;
    call.options.onOver?.(end.reason);
    call.options.events.ended(end);
  }

  async function start(id: number, { address, channelId, direction }: CallOptions): Promise<void> {
    try {
      const hosts = await outgoing.resolve(address);
      if (!open.has(id)) return;
      const wasSent = send({
        op: 'call',
        id,
        feed: channelId,
        hosts,
        port: address.port,
        direction,
        ...streamOptions(address),
      });
      if (!wasSent) finish(id, endpointMissing('SRT'));
    } catch (error) {
      finish(id, endOfFetch(error));
    }
  }

  return {
    open(options: CallOptions): SrtCall {
      const id = ++lastId;
      const call: Call = { options, figures: undefined };
      open.set(id, call);
      void start(id, options);
      return {
        /** For a call that receives. */
        source: createSrtSource(send, { call: id }),
        get bytes() {
          return call.figures?.bytes ?? 0;
        },
        get skipped() {
          return call.figures?.skips ?? 0;
        },
        get srt(): SrtReport | undefined {
          return reportOf(call.figures);
        },
        close(_reason: string) {
          if (!open.delete(id)) return;
          send({ op: 'hangup', id });
          options.onOver?.('switchedOff');
        },
      };
    },
    event(event: CallEvent): void {
      const call = open.get(event.id);
      if (!call) return;
      if (event.state === 'connected') {
        call.options.onConnected?.(event.peer ?? '');
        call.options.events.connected();
      } else if (event.state === 'failed' || event.state === 'closed') {
        finish(event.id, endOf(event, call.options.address));
      }
    },
    figures(id: number, figures: ConnectionStatistics): void {
      const call = open.get(id);
      if (call) call.figures = figures;
    },
    receive: (id: number, bytes: Uint8Array) => open.get(id)?.options.onBytes?.(bytes),
    /** The endpoint is gone. */
    endAll(): void {
      for (const id of [...open.keys()]) finish(id, endpointMissing('SRT'));
    },
  };
}

const causes: Readonly<Record<string, { conn: number; reason: ConnectionReason; permanent?: true }>> = {
  timeout: { conn: connectionStates.tcpFailed, reason: 'unreachable' },
  unauthorized: { conn: connectionStates.authorizationFailed, reason: 'notAuthorized', permanent: true },
  'bad passphrase': { conn: connectionStates.authorizationFailed, reason: 'wrongPassphrase', permanent: true },
  'not found': { conn: connectionStates.streamFailed, reason: 'streamRefused', permanent: true },
  conflict: { conn: connectionStates.refused, reason: 'streamRefused' },
  refused: { conn: connectionStates.refused, reason: 'refused' },
  rejected: { conn: connectionStates.refused, reason: 'refused' },
  slow: { conn: connectionStates.disconnected, reason: 'stalled' },
  'no sync': { conn: connectionStates.streamFailed, reason: 'noSync' },
};

function endOf(event: CallEvent, address: SrtStream): Termination {
  const word = event.reason ?? '';
  const cause =
    event.state === 'closed' && word === 'timeout'
      ? { conn: connectionStates.disconnected, reason: 'timeout' as const }
      : (causes[word] ?? fallback(event.state));
  const detail = event.text ? ` (${event.text})` : '';
  return {
    conn: cause.conn,
    reason: cause.reason,
    permanent: cause.permanent === true,
    text: `SRT to ${address.host}:${address.port} ${event.state}: ${word}${detail}`,
  };
}

function fallback(state: string): { conn: number; reason: ConnectionReason; permanent?: true } {
  return state === 'closed'
    ? { conn: connectionStates.disconnected, reason: 'closedByPeer' }
    : { conn: connectionStates.failed, reason: 'internal' };
}
