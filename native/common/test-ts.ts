/** Transport streams for the tests of the SRT endpoint: makes them, finds random access points in them, checks them. */
import { clip } from '../../tests/support/clips.ts';

export const packetSize = 188;
const videoPid = 0x100; // what FFmpeg's muxer gives to the first stream

/** Two seconds of test picture and tone at about 1 Mb/s, with a random access point every half second. */
export function sampleStream(codec = 'libx264'): string {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=24'];
  const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
  const preset = codec === 'libx264' ? ['-preset', 'ultrafast'] : [];
  const coded = ['-c:v', codec, ...preset, '-g', '12', '-b:v', '1M', '-c:a', 'aac'];
  return clip([...picture, ...tone, '-t', '2', ...coded], 'ts');
}

export function pidOf(bytes: Uint8Array, at: number): number {
  return (((bytes[at + 1] ?? 0) & 0x1f) << 8) | (bytes[at + 2] ?? 0);
}

/** True for a video packet with the random access flag. */
function isEntryPoint(bytes: Uint8Array, at: number): boolean {
  const hasAdaptation = ((bytes[at + 3] ?? 0) & 0x20) !== 0 && (bytes[at + 4] ?? 0) > 0;
  return pidOf(bytes, at) === videoPid && hasAdaptation && ((bytes[at + 5] ?? 0) & 0x40) !== 0;
}

/** Cuts at random access points, as the engine does. */
export function* runsOf(bytes: Uint8Array): Generator<{ data: Uint8Array; isEntry: boolean }> {
  let start = 0;
  let isEntry = false;
  for (let at = 0; at < bytes.length; at += packetSize) {
    if (!isEntryPoint(bytes, at)) continue;
    if (at > start) yield { data: bytes.subarray(start, at), isEntry };
    start = at;
    isEntry = true;
  }
  if (start < bytes.length) yield { data: bytes.subarray(start), isEntry };
}

/** PAT and PMT of a stream of FFmpeg's, or undefined while they weren't seen. */
export function tablesOf(bytes: Uint8Array): Uint8Array | undefined {
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at < bytes.length; at += packetSize) {
    const pid = pidOf(bytes, at);
    if (pid === 0 || pid === 0x1000) found.set(pid, bytes.slice(at, at + packetSize));
  }
  const [pat, pmt] = [found.get(0), found.get(0x1000)];
  return pat && pmt && Uint8Array.from([...pat, ...pmt]);
}

/** Counts what is wrong with a stream that arrives in pieces. */
export class StreamCheck {
  packets = 0;
  /** Jumps of the continuity counter on media packets. */
  jumps = 0;
  /** The same on packets of PAT and PMT, which the endpoint sends ahead to every new receiver. */
  tableJumps = 0;
  /** Packets that don't begin with the sync byte. */
  unaligned = 0;
  firstPids: number[] = [];
  #rest = new Uint8Array(0);
  readonly #counters = new Map<number, number>();

  add(chunk: Uint8Array): void {
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    const whole = bytes.length - (bytes.length % packetSize);
    for (let at = 0; at < whole; at += packetSize) this.#packet(bytes, at);
    this.#rest = bytes.slice(whole);
  }

  #packet(bytes: Uint8Array, at: number): void {
    this.packets++;
    if (bytes[at] !== 0x47) {
      this.unaligned++;
      return;
    }
    const pid = pidOf(bytes, at);
    if (this.firstPids.length < 3) this.firstPids.push(pid);
    const control = bytes[at + 3] ?? 0;
    const isTable = pid === 0 || pid === 0x1000;
    if ((control & 0x10) === 0 || (pid < 0x100 && !isTable) || pid === 0x1fff) return;
    const counter = control & 15;
    const last = this.#counters.get(pid);
    this.#counters.set(pid, counter);
    if (last === undefined || counter === ((last + 1) & 15)) return;
    if (isTable) this.tableJumps++;
    else this.jumps++;
  }
}

/** A made-up stream of one PID with running counters; `seconds` of it at `mbps` are entry-marked every half second. */
export function* madeUpPackets(): Generator<Uint8Array> {
  const message = new Uint8Array(7 * packetSize).fill(0xff);
  for (let counter = 0; ; ) {
    for (let at = 0; at < message.length; at += packetSize) {
      message.set([0x47, 0x01, 0x00, 0x10 | (counter++ & 15)], at);
    }
    yield message;
  }
}
