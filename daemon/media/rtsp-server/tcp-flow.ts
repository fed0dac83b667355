/** Packets inside the RTSP connection. All players with the usual channel numbers share the bytes. */
import type { Outlet } from '../outlet.ts';
import { encodePacket } from '../rtsp/message.ts';
import { type Flow, FlowReader } from './flow.ts';
import { frameHeaderBytes, type RtpPacket, writeFrameHeader } from './rtp.ts';
import type { RtpStream, RtpUnit } from './rtp-stream.ts';
import { type TrackName, trackNumbers } from './track.ts';

/** `channels`: where the player wants the packets of each track; reports go to the next one. */
export function openTcpFlow(stream: RtpStream, outlet: Outlet, channels: ReadonlyMap<TrackName, number>): Flow {
  const reader = new FlowReader(stream, () => outlet.pump());
  const byNumber = new Map([...channels].map(([name, channel]) => [trackNumbers[name] as number, channel]));
  const before = outlet.bytes;
  let hasStarted = false;

  function reports(at?: number): Buffer[] {
    return [...channels].map(([name, channel]) => encodePacket(channel + 1, stream.report(name, at)));
  }

  function next(): Uint8Array | undefined {
    for (let unit = reader.take(); unit; unit = reader.take()) {
      const media = mediaFor(unit, byNumber, (packet) => reader.isWanted(packet));
      if (media.length === 0) continue;
      if (hasStarted) return media;
      hasStarted = true;
      // Players align picture and sound by the reports; coming later, they would make them jump.
      return Buffer.concat([...reports(unit.at), media]);
    }
    return undefined;
  }

  return {
    first: reader.first,
    get bytes() {
      return outlet.bytes - before;
    },
    get skipped() {
      return reader.skipped;
    },
    get lagMs() {
      return reader.lagMs;
    },
    begin() {
      outlet.setSource(next);
      outlet.pump();
    },
    report() {
      // Whoever takes nothing gets none.
      if (!hasStarted || outlet.stalledMs > 0) return;
      for (const report of reports()) outlet.send(report);
      outlet.pump();
    },
    close() {
      reader.close();
      outlet.setSource(undefined);
    },
  };
}

function mediaFor(
  { wire, packets }: RtpUnit,
  channels: ReadonlyMap<number, number>,
  isWanted: (packet: RtpPacket) => boolean,
): Uint8Array {
  const isPlain = (packet: RtpPacket) => channels.get(packet.track) === packet.track * 2 && isWanted(packet);
  if (packets.every(isPlain)) return wire;
  const chosen = packets.filter((packet) => channels.has(packet.track) && isWanted(packet));
  const bytes = Buffer.allocUnsafeSlow(chosen.reduce((sum, { start, end }) => sum + frameHeaderBytes + end - start, 0));
  let at = 0;
  for (const { track, start, end } of chosen) {
    writeFrameHeader(bytes, at, channels.get(track) ?? 0, end - start);
    bytes.set(wire.subarray(start, end), at + frameHeaderBytes);
    at += frameHeaderBytes + end - start;
  }
  return bytes;
}
