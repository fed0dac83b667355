/** Connects TS over UDP to channels. The endpoint receives and sends; here events reach channels and connections. */
import type { Log } from '../../lib/log.ts';
import type { EnginePart } from '../../media/protocol/reported.ts';
import type { Channel } from '../channel/channel.ts';
import type { FeedPort } from '../channel/feed.ts';
import { confinedEndpoint, Endpoint, whyDown } from '../endpoint/endpoint.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { feedFlags, readUdpEvent, type UdpEvent, type UdpOperation, udpProtocol } from './protocol.ts';
import { createUdpInputs } from './receiver.ts';
import { createUdpOutputs } from './sender.ts';

interface UdpAdapterOptions {
  readonly binary: string;
  readonly socketPath: string;
  readonly log: Log;
  readonly channels: () => Iterable<Channel>;
  readonly onPart: (part: EnginePart) => void;
  readonly outgoing: EngineOutgoing;
}

export function createUdpAdapter({ log, onPart, channels, outgoing, ...rest }: UdpAdapterOptions) {
  const endpoint: Endpoint<UdpEvent, UdpOperation> = new Endpoint<UdpEvent, UdpOperation>({
    ...rest,
    name: 'UDP endpoint',
    protocol: udpProtocol,
    readEvent: readUdpEvent,
    log,
    command: () => confinedEndpoint(rest.binary, rest.socketPath, { sockets: 'internet' }),
    onStart() {
      onPart({ name: 'udp', ok: true });
      for (const channel of channels()) channel.feeds.udp.restart();
    },
    onDown(why) {
      inputs.endAll();
      outputs.endAll();
      onPart({ name: 'udp', ok: false, ...whyDown('UDP', why) });
    },
    onEvent: (event) => receive(event),
    onData: (id, _flags, bytes) => inputs.receive(id, bytes),
  });
  const send = (operation: UdpOperation) => endpoint.send(operation);
  const inputs = createUdpInputs(send, log);
  const outputs = createUdpOutputs(send, outgoing, log);

  function receive(event: UdpEvent): void {
    switch (event.ev) {
      case 'input-open':
      case 'input-failed':
      case 'sender':
      case 'no-sync':
        inputs.event(event);
        break;
      case 'output-open':
      case 'output-failed':
        outputs.event(event);
        break;
      case 'stats':
        for (const figures of event.list) {
          if ('output' in figures) outputs.figures(figures);
          else inputs.figures(figures);
        }
        break;
      case 'error':
        log.error('the UDP endpoint did not understand', { text: event.text, op: event.op, field: event.field });
    }
  }

  return {
    inputs,
    outputs,
    feed: {
      sendUnit: (id, data, entryPoint) => endpoint.sendData(id, entryPoint ? feedFlags.entryPoint : 0, data),
      sendTables: (id, tables) => endpoint.sendData(id, feedFlags.tables, tables),
      dropFeed: (id) => void send({ op: 'drop-feed', feed: id }),
    } satisfies FeedPort,
    /** Called once per second: requests statistics. */
    tick(): void {
      inputs.tick();
      outputs.tick();
      // An answer would wake both processes.
      if (inputs.size + outputs.size > 0) send({ op: 'report' });
    },
    restart: (reason: string) => endpoint.restart(reason),
    close: () => endpoint.close('engine stops'),
  };
}
