/** Packets over UDP: what a socket does not accept waits, and a player that falls behind loses groups of pictures. */
import { type Flow, FlowReader } from './flow.ts';
import type { RtpStream, RtpUnit } from './rtp-stream.ts';
import { type TrackName, trackNumbers } from './track.ts';
import type { UdpPorts } from './udp-ports.ts';

/**
 * The start of a group in progress would be one burst of a megabyte, more than the receiver's socket holds. This is the
 * limit per step, which amounts to 100 Mbit/s.
 */
const burstBytes = 64 << 10;
const paceMs = 5;

export function openUdpFlow(stream: RtpStream, ports: ReadonlyMap<TrackName, UdpPorts>): Flow {
  const reader = new FlowReader(stream, () => pump());
  const byNumber = new Map([...ports].map(([name, pair]) => [trackNumbers[name] as number, pair]));
  let unit: RtpUnit | undefined;
  let position = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let bytes = 0;
  let hasStarted = false;
  let isFlowing = false;

  function report(at?: number): void {
    for (const [name, pair] of ports) pair.sendReport(stream.report(name, at));
  }

  function pump(): void {
    if (timer !== undefined || !isFlowing) return;
    let left = burstBytes;
    while (left > 0) {
      if (!unit || position >= unit.packets.length) {
        unit = reader.take();
        position = 0;
        if (!unit) return;
      }
      if (!hasStarted) report(unit.at);
      hasStarted = true;
      const sent = sendRun(unit, left);
      if (sent < 0) break;
      left -= sent;
    }
    timer = setTimeout(() => {
      timer = undefined;
      pump();
    }, paceMs);
  }

  /** Sends consecutive packets of one track. Returns the bytes sent, or -1 if the socket accepted fewer packets. */
  function sendRun({ packets, wire }: RtpUnit, max: number): number {
    const first = packets[position];
    const track = first?.track;
    const pair = first && reader.isDesired(first) ? byNumber.get(first.track) : undefined;
    if (!pair) {
      position++;
      return 0;
    }
    const run: Uint8Array[] = [];
    let size = 0;
    let until = position;
    for (; size < max; until++) {
      const packet = packets[until];
      if (!packet || packet.track !== track || !reader.isDesired(packet)) break;
      run.push(wire.subarray(packet.start, packet.end));
      size += packet.end - packet.start;
    }
    const taken = pair.send(run);
    position += taken;
    for (const packet of run.slice(0, taken)) bytes += packet.length;
    return taken < run.length ? -1 : size;
  }

  return {
    reader,
    get bytes() {
      return bytes;
    },
    begin() {
      isFlowing = true;
      pump();
    },
    report() {
      if (hasStarted) report();
    },
    close() {
      isFlowing = false;
      clearTimeout(timer);
      reader.close();
    },
  };
}
