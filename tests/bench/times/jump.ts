/**
 * How far an SRT output exceeds its latency after the rate of the stream jumps, and after a pause. A sender that libsrt
 * paces by its own rate estimate is late until the estimate has adapted. Every packet carries its send time, and
 * srt-live-transmit receives it, so this is the delay that a receiver sees.
 */
import { createSocket, type Socket } from 'node:dgram';
import { packetSize, pidOf, syncByte } from '../../../daemon/engine/mpegts/packet.ts';
import { packetsOf, withChecksum } from '../../../daemon/engine/mpegts/psi.ts';
import { leasePort } from '../../support/ports.ts';
import { startChild } from '../child.ts';
import type { BenchHub } from '../hub.ts';
import { openChannel } from '../subjects/signalbox.ts';
import { srtLatencyMs } from '../subjects/subject.ts';
import type { Toolbox } from '../tools.ts';
import { type Timing, type TimingPlan, timing } from './timing.ts';

const tickMs = 4;
const frameMs = 40;
/** Packets per frame: 113 kb/s and 8 Mb/s. */
const few = 3;
const many = 213;
const lowMs = 8000;
const highMs = 3000;
const pauseMs = 4000;
const readyMs = 15_000;
const limitMs = 50;
const events = ['a jump from 0.1 to 8 Mb/s', `a pause of ${pauseMs / 1000} s`] as const;
const [pmtPid, videoPid] = [0x100, 0x101];
const datagramPackets = 7;

/** A relay from UDP to an SRT listener. */
interface JumpSubject {
  readonly label: string;
  readonly isOurs: boolean;
  /** Returns a function that closes it. */
  open(udp: number, srt: number): Promise<() => Promise<void>>;
}

const ofPeer = (label: string, query: string): JumpSubject => ({
  label,
  isOurs: false,
  open: (udp, srt) => {
    const to = `srt://127.0.0.1:${srt}?latency=${srtLatencyMs}${query}`;
    const child = startChild('srt-live-transmit', ['srt-live-transmit', '-q', `udp://127.0.0.1:${udp}`, to]);
    return Promise.resolve(() => child.kill());
  },
});

const ofOurs = (hub: BenchHub, label: string, query: string): JumpSubject => ({
  label,
  isOurs: true,
  open: async (udp, srt) => {
    const channel = await openChannel(hub, [`srt://127.0.0.1:${srt}?mode=caller&latency=${srtLatencyMs}${query}`]);
    await hub.call('/api/channel/input/set', { id: channel.id, input: await channel.addInput(udp) });
    return () => channel.close();
  },
});

export async function measureJumps(_: Toolbox, hub: BenchHub, plan: TimingPlan): Promise<Timing[]> {
  const timings: Timing[] = [];
  const subjects = [
    ofOurs(hub, 'Signalbox', ''),
    ofOurs(hub, 'Signalbox, overhead 25 %', '&oheadbw=25'),
    ofPeer('srt-live-transmit, unlimited', ''),
    ofPeer("srt-live-transmit, libsrt's estimate and 25 %", '&maxbw=0&oheadbw=25'),
  ];
  for (const subject of subjects) {
    const { label, isOurs } = subject;
    const of = (event: string) => ({
      label,
      isOurs,
      what: `UDP in, SRT out: most delay beyond the latency after ${event}`,
    });
    let found: number[][] = [];
    await timing(plan, of(events[0]), async () => {
      found = await Promise.all(Array.from({ length: plan.attempts }, () => delaysOnce(subject)));
      return [];
    });
    for (const [i, event] of events.entries()) {
      const ms = found.map((delays) => delays[i] ?? 0);
      if (ms.length > 0) timings.push({ ...of(event), ms, ...(isOurs && { limitMs }) });
    }
  }
  return timings;
}

/** The highest delay after each of the events. */
async function delaysOnce({ open, isOurs }: JumpSubject): Promise<number[]> {
  const [udp, srt, end] = [leasePort(), leasePort(), leasePort()];
  const receiver = await startReceiver(end);
  const from = `srt://127.0.0.1:${srt}?mode=listener&latency=${srtLatencyMs}`;
  const far = startChild('srt-live-transmit', ['srt-live-transmit', '-q', from, `udp://127.0.0.1:${end}`]);
  const sender = createSocket('udp4');
  let close: (() => Promise<void>) | undefined;
  try {
    close = await open(udp, srt);
    const stream = createStream();
    const send = (perFrame: number, forMs: number) => sendFor(sender, udp, () => stream.frame(perFrame), forMs);
    const deadline = performance.now() + readyMs;
    while (receiver.seen() === 0) {
      if (performance.now() > deadline) throw new Error('nothing arrived');
      await send(few, frameMs);
    }
    await send(few, lowMs);
    const delays: number[] = [];
    for (const _ of events) {
      receiver.begin();
      const sent = await send(many, highMs);
      await Bun.sleep(pauseMs);
      if (isOurs && receiver.seen() < sent) throw new Error(`${sent - receiver.seen()} of ${sent} packets were lost`);
      delays.push(Math.max(0, receiver.maxMs() - srtLatencyMs));
    }
    return delays;
  } finally {
    sender.close();
    receiver.close();
    await far.kill();
    await close?.();
  }
}

/** Sends frames evenly; returns the number of video packets. */
async function sendFor(socket: Socket, port: number, frame: () => Uint8Array[], forMs: number): Promise<number> {
  let count = 0;
  const begin = performance.now();
  for (let at = 0; at < forMs; at += frameMs) {
    const packets = frame();
    count += packets.filter(isPicture).length;
    for (let sent = 0; sent < packets.length; ) {
      const due = performance.now() - begin - at;
      const upTo = Math.min(packets.length, Math.ceil((packets.length * (due + tickMs)) / frameMs));
      for (; sent < upTo; sent += datagramPackets) {
        const some = packets.slice(sent, sent + datagramPackets);
        for (const packet of some) if (isPicture(packet)) stamp(packet);
        socket.send(Buffer.concat(some), port, '127.0.0.1');
      }
      await Bun.sleep(tickMs);
    }
    await Bun.sleep(Math.max(0, begin + at + frameMs - performance.now()));
  }
  return count;
}

/** Tables once per frame, then video packets of one access unit that a decoder could start with. */
function createStream() {
  const pat = withChecksum(Uint8Array.of(0, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | (pmtPid >> 8), pmtPid & 0xff));
  const video = [0xe0 | (videoPid >> 8), videoPid & 0xff];
  const pmt = withChecksum(Uint8Array.of(2, 0xb0, 18, 0, 1, 0xc1, 0, 0, ...video, 0xf0, 0, 0x1b, ...video, 0xf0, 0));
  let frames = 0;
  let counter = 0;
  return {
    frame: (pictures: number): Uint8Array[] => {
      const tables = [packetsOf(pat, 0, frames), packetsOf(pmt, pmtPid, frames)];
      const packets = Array.from({ length: pictures }, (_, i) => {
        const packet = Buffer.alloc(packetSize, 0xaa);
        packet.set([syncByte, (i === 0 ? 0x40 : 0) | (videoPid >> 8), videoPid & 0xff, 0x10 | (counter++ & 15)]);
        if (i === 0) beginFrame(packet, frames * frameMs * 90);
        return packet;
      });
      frames++;
      return [...tables, ...packets];
    },
  };
}

/** PCR, random access indicator, and the start of a PES packet with this time. */
function beginFrame(packet: Buffer, ticks: number): void {
  packet[3] = (packet[3] ?? 0) | 0x20;
  packet.set([7, 0x50], 4);
  packet.writeUInt32BE(Math.floor(ticks / 2), 6);
  packet.writeUInt16BE(((ticks & 1) << 15) | 0x7e00, 10);
  packet.set([0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21, (ticks >> 22) & 0xff, ((ticks >> 14) & 0xfe) | 1], 12);
  packet.set([(ticks >> 7) & 0xff, ((ticks << 1) & 0xfe) | 1], 24);
}

const stampAt = packetSize - 8;

function stamp(packet: Uint8Array): void {
  Buffer.from(packet.buffer, packet.byteOffset, packetSize).writeDoubleBE(performance.now(), stampAt);
}

function isPicture(packet: Uint8Array): boolean {
  return pidOf(packet, 0) === videoPid;
}

/** Processes the packets received at the far end. Counts since `begin`. */
async function startReceiver(port: number) {
  let seen = 0;
  let maxMs = 0;
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 }, (datagram) => {
    const now = performance.now();
    for (let at = 0; at + packetSize <= datagram.length; at += packetSize) {
      if (pidOf(datagram, at) !== videoPid) continue;
      seen++;
      maxMs = Math.max(maxMs, now - datagram.readDoubleBE(at + stampAt));
    }
  });
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  return {
    begin: (): void => {
      seen = 0;
      maxMs = 0;
    },
    seen: () => seen,
    maxMs: () => maxMs,
    close: () => void socket.close(),
  };
}
