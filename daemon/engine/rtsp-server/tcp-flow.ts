/** Packets interleaved in the RTSP connection. All players with the usual channel numbers share the bytes. */
import type { Writer } from '../net/socket-writer.ts';
import { encodePacket, frameHeaderBytes, writeFrameHeader } from '../rtsp/message.ts';
import { type Flow, FlowReader } from './flow.ts';
import type { RtpPacket } from './rtp.ts';
import type { RtpStream, RtpUnit } from './rtp-stream.ts';
import { type TrackName, trackNumbers } from './track.ts';

/** `channels`: the channel of each track's packets; reports use the next one. */
export function openTcpFlow(stream: RtpStream, writer: Writer, channels: ReadonlyMap<TrackName, number>): Flow {
  const reader = new FlowReader(stream, () => writer.pump());
  const byNumber = new Map([...channels].map(([name, channel]) => [trackNumbers[name] as number, channel]));
  const before = writer.bytes;
  let hasStarted = false;

  function reports(at?: number): Buffer[] {
    return [...channels].map(([name, channel]) => encodePacket(channel + 1, stream.report(name, at)));
  }

  function next(): Uint8Array | undefined {
    for (let unit = reader.take(); unit; unit = reader.take()) {
      const media = mediaFor(unit, byNumber, (packet) => reader.isDesired(packet));
      if (media.length === 0) continue;
      if (hasStarted) return media;
      hasStarted = true;
      // Players synchronize video and audio by the reports; if these came later, playback would jump.
      return Buffer.concat([...reports(unit.at), media]);
    }
    return undefined;
  }

  return {
    reader,
    get bytes() {
      return writer.bytes - before;
    },
    begin() {
      writer.setSource(next);
      writer.pump();
    },
    report() {
      // A player that accepts nothing gets no reports.
      if (!hasStarted || writer.stalledMs > 0) return;
      for (const report of reports()) writer.send(report);
      writer.pump();
    },
    close() {
      reader.close();
      writer.setSource(undefined);
    },
  };
}

function mediaFor(
  { wire, packets }: RtpUnit,
  channels: ReadonlyMap<number, number>,
  isDesired: (packet: RtpPacket) => boolean,
): Uint8Array {
  const isPlain = (packet: RtpPacket) => channels.get(packet.track) === packet.track * 2 && isDesired(packet);
  if (packets.every(isPlain)) return wire;
  const chosen = packets.filter((packet) => channels.has(packet.track) && isDesired(packet));
  const bytes = Buffer.allocUnsafeSlow(chosen.reduce((sum, { start, end }) => sum + frameHeaderBytes + end - start, 0));
  let at = 0;
  for (const { track, start, end } of chosen) {
    writeFrameHeader(bytes, at, channels.get(track) ?? 0, end - start);
    bytes.set(wire.subarray(start, end), at + frameHeaderBytes);
    at += frameHeaderBytes + end - start;
  }
  return bytes;
}
