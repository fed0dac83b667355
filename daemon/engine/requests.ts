/** Requests from the hub, and the engine's replies. */

import type { EngineReply, EngineRequest } from '../media/protocol/messages.ts';
import type { Channel } from './channel/channel.ts';
import type { ChannelRegistry } from './channel/channel-registry.ts';
import type { Previews } from './preview/previews.ts';
import type { SourceTests } from './probe/source-tests.ts';

interface RequestHandlerOptions {
  readonly registry: Pick<ChannelRegistry, 'channel' | 'rates'>;
  readonly tests: SourceTests;
  readonly previews: Previews;
  readonly restart: (endpoint: 'srt' | 'udp') => void;
}

/** Requests that concern one channel. */
type ChannelAsk = Exclude<EngineRequest, { what: 'test' | 'look' | 'frame' | 'endTest' | 'pictures' | 'restart' }>;

export function createRequestHandler({ registry, tests, previews, restart }: RequestHandlerOptions) {
  return async (ask: EngineRequest): Promise<EngineReply> => {
    switch (ask.what) {
      case 'test': {
        const outcome = await tests.run(ask.test, ask.inputId, ask.source);
        return outcome ? { what: 'tested', outcome } : error('too many tests at a time');
      }
      case 'look': {
        const outcome = await tests.look(ask.test, ask.inputId, ask.source);
        return outcome ? { what: 'tested', outcome } : error('too many looks at a time');
      }
      case 'frame': {
        const frame = await tests.frame(ask.test, ask.inputId, ask.source);
        if (frame === undefined) return error('too many pictures at a time');
        return frame === 'none' ? { what: 'done' } : { what: 'frame', jpeg: frame.toString('base64') };
      }
      case 'endTest':
        tests.end(ask.test);
        return { what: 'done' };
      case 'restart':
        restart(ask.endpoint);
        return { what: 'done' };
      case 'pictures': {
        const list = previews.look(ask.pictures, ask.after);
        return { what: 'pictures', list: list.map((one) => ({ ...one, jpeg: one.jpeg.toString('base64') })) };
      }
      default: {
        if (ask.what === 'history' && ask.channelId === null) return history(registry.rates);
        const channel = ask.channelId === null ? undefined : registry.channel(ask.channelId);
        return channel ? answerOf(channel, ask) : error('no such channel');
      }
    }
  };
}

const error = (text: string): EngineReply => ({ what: 'error', text });

function answerOf(channel: Channel, ask: ChannelAsk): EngineReply {
  switch (ask.what) {
    case 'history':
      return history(channel.rates);
    case 'quality': {
      const meter = channel.quality(ask.connection);
      if (!meter) return error('no such connection');
      const past = meter.history(ask.minutes);
      return { what: 'quality', ...(past && { history: { ...past, end: Date.now() } }) };
    }
    case 'switch': {
      const refused = channel.input.switchTo(ask.to);
      return refused ? error(refused) : { what: 'done' };
    }
    case 'disconnect': {
      const found = channel.clients.disconnect(ask.clientId, 'disconnected by an operator');
      return found ? { what: 'done' } : error('no such client');
    }
  }
}

/** The rings have one value per second. */
function history(rates: ChannelRegistry['rates']): EngineReply {
  const past = { stepSeconds: 1, end: Date.now(), in: rates.in.values(), out: rates.out.values() };
  return { what: 'history', history: past };
}
