/** The RTMP endpoint: chunk streams of publishers, and control frames. */
import { encodeMessages } from '../../../daemon/engine/rtmp/chunk-writer.ts';
import { createChunkMaker } from '../../../native/rtmp/test-chunks.ts';
import { audio, startRig, steady, video } from '../../../native/rtmp/test-rig.ts';
import { createRandom } from '../random.ts';
import type { FuzzTarget, RunningTarget } from '../target.ts';

const messages = [video(40, 900, 0x17), audio(50), video(80, 6000), audio(90, 20), video(120, 129), audio(120, 128)];
const chunkSizes = [1, 128, 4096];

const corpus = () => [
  ...chunkSizes.map((chunk) => createChunkMaker(createRandom(chunk), chunk)(messages).bytes),
  Buffer.from(encodeMessages(messages, 1)),
];

/** Each input is what a new publisher sends, in two writes; one player gets what is left of it. */
async function startStreams(): Promise<RunningTarget> {
  const rig = await startRig();
  let id = 1;
  return {
    async feed(input, random) {
      id += 2;
      const pair = await rig.pair();
      rig.give({ ...steady(id), chunk: random.pick(chunkSizes) }, pair);
      rig.give({ op: 'player', id: id + 1, publisher: id, message: 0 }, await rig.pair());
      const half = random.below(input.length + 1);
      pair.write(input.subarray(0, half));
      await rig.settled();
      pair.write(input.subarray(half));
      await rig.settled();
      if (random.below(2) === 0) rig.say({ op: 'drop', id: id + 1 });
      rig.say({ op: random.pick(['drop', 'return']), id });
    },
    check: async () => {
      await rig.settled();
      rig.forget();
    },
    close: rig.close,
  };
}

const controlFrames = [
  JSON.stringify({ ...steady(1), streams: [{ id: 4, timestamp: 1, delta: 1, extended: true, length: 5, type: 8 }] }),
  '{"op":"player","id":2,"publisher":1,"message":0}',
  '{"op":"return","id":1}',
  '{"op":"drop","id":2}',
  '{"op":"report"}',
].map((text) => Buffer.from(text));

async function startControl(): Promise<RunningTarget> {
  const rig = await startRig();
  const pair = await rig.pair();
  return {
    feed(input, random) {
      const text = Buffer.from(input).toString('latin1');
      if (random.below(2) === 0) rig.control(text);
      else rig.giveText(text, pair);
    },
    check: async () => {
      await rig.settled();
      rig.forget();
    },
    close: rig.close,
  };
}

export const rtmpEndpointTargets: readonly FuzzTarget[] = [
  { name: 'rtmp-endpoint-streams', inputs: 300, corpus, start: startStreams },
  { name: 'rtmp-endpoint-control', inputs: 300, corpus: () => controlFrames, start: startControl },
];
