import { readUdpEvent } from '../../../daemon/engine/udp/protocol.ts';
import { packets } from '../../../native/udp/test-rig.ts';
import { leasePort } from '../../support/ports.ts';
import type { FuzzTarget, RunningTarget } from '../target.ts';
import { control, send, startEndpoint } from './endpoint.ts';

const controlFrames = [
  '{"op":"send","id":1,"feed":7,"host":"127.0.0.1","port":9,"ttl":1,"interface":"","rtp":true}',
  '{"op":"stop-send","id":1}',
  '{"op":"stop-receive","id":1}',
  '{"op":"link","input":1,"feed":7}',
  '{"op":"unlink","input":1}',
  '{"op":"batch","input":1,"ms":5}',
  '{"op":"drop-feed","feed":7}',
  '{"op":"report"}',
].map((text) => Buffer.from(text));

const plain = packets(7);
/** RTP with payload type 33; `longRtp` has a contributing source, an extension and padding. */
const rtp = Buffer.concat([Buffer.from('80210001000000000000abcd', 'hex'), plain]);
const longRtp = Buffer.concat([
  Buffer.from('b1210002000000000000abcd00000001bede000100000000', 'hex'),
  plain,
  Buffer.of(0, 0, 0, 4),
]);

async function startControl(): Promise<RunningTarget> {
  const { bare, check, close } = await startEndpoint('udp', readUdpEvent);
  return {
    feed(input, random) {
      if (random.below(3) === 0) bare.data(random.below(9), random.below(4), input);
      else control(bare, input);
    },
    check,
    close,
  };
}

/** Starts a plain UDP input and an RTP input, each linked to an output. */
async function startDatagrams(): Promise<RunningTarget> {
  const { bare, port, socket, check, close } = await startEndpoint('udp', readUdpEvent);
  const rtpPort = leasePort();
  const nobody = leasePort();
  const inputs = [port, rtpPort];
  for (const [i, own] of inputs.entries()) {
    const id = i + 1;
    bare.control(
      JSON.stringify({ op: 'receive', id, host: '127.0.0.1', port: own, interface: '', source: '', rtp: i === 1 }),
    );
    bare.control(
      JSON.stringify({
        op: 'send',
        id,
        feed: id,
        host: '127.0.0.1',
        port: nobody,
        ttl: 0,
        interface: '',
        rtp: i === 1,
      }),
    );
    bare.control(JSON.stringify({ op: 'link', input: id, feed: id }));
  }
  return {
    feed: (input, random) => send(socket, random.pick(inputs), input),
    check,
    close,
  };
}

export const udpTargets: readonly FuzzTarget[] = [
  { name: 'udp-control', inputs: 500, corpus: () => [...controlFrames, plain], start: startControl },
  { name: 'udp-datagrams', inputs: 500, corpus: () => [plain, rtp, longRtp], start: startDatagrams },
];
