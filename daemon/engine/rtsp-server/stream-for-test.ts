/** A stream of synthetic frames on an FLV bus, for tests of the RTSP server. */
import { createFlvBus, type FlvBus, messageType } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';

export const sps = Buffer.from('6742c01eda0280bfe5c044000003000400000300ca3c58ba80', 'hex');
export const pps = Buffer.from('68ce3c80', 'hex');
const avcConfig = Buffer.concat([
  Buffer.of(1, 0x42, 0xc0, 0x1e, 0xff, 0xe1, 0, sps.length),
  sps,
  Buffer.of(1, 0, pps.length),
  pps,
]);
const videoHeader = Buffer.concat([Buffer.of(0x17, 0, 0, 0, 0), avcConfig]);
const audioHeader = Buffer.of(0xaf, 0, 0x11, 0x90);
export const otherAudioHeader = Buffer.of(0xaf, 0, 0x12, 0x10);
const sound = Buffer.concat([Buffer.of(0xaf, 1), Buffer.alloc(300, 3)]);
export const key = Buffer.concat([Buffer.of(0x65), Buffer.alloc(3000, 1)]);
export const delta = Buffer.concat([Buffer.of(0x41), Buffer.alloc(100, 2)]);

/** `composition` in milliseconds. */
export function frame(nal: Buffer, isKey: boolean, composition = 0): Buffer {
  const head = Buffer.of(isKey ? 0x17 : 0x27, 1, 0, composition >> 8, composition & 0xff, 0, 0, 0, 0);
  head.writeUInt32BE(nal.length, 5);
  return Buffer.concat([head, nal]);
}

export class MadeUpStream {
  readonly bus: FlvBus = createFlvBus();
  private sink: FlvBusSink | undefined;

  constructor() {
    this.publish();
  }

  /** Starts a publisher and ends the previous one. */
  publish(): void {
    this.sink = createFlvSink(this.bus);
    this.sink.message({ type: messageType.video, timestamp: 0, payload: videoHeader });
    this.sound(0, audioHeader);
  }

  picture(timestamp: number, isKey: boolean, composition?: number): void {
    this.video(timestamp, frame(isKey ? key : delta, isKey, composition));
  }

  video(timestamp: number, payload: Buffer): void {
    this.sink?.message({ type: messageType.video, timestamp, payload });
  }

  sound(timestamp: number, payload = sound): void {
    this.sink?.message({ type: messageType.audio, timestamp, payload });
  }

  flush(): void {
    this.sink?.flush();
  }
}
