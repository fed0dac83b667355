import { beforeEach, describe, expect, test } from 'bun:test';
import { RtpStream, type RtpUnit } from './rtp-stream.ts';
import { frame, key, MadeUpStream, otherAudioHeader, pps, sps } from './stream-for-test.ts';
import { describeTracks } from './track.ts';

let source: MadeUpStream;
let wall = 0;

beforeEach(() => {
  source = new MadeUpStream();
  wall = 1_700_000_000_000;
});

function open() {
  const stream = new RtpStream(
    source.bus,
    () => 1000,
    () => wall,
  );
  const held = stream.hold();
  const units: RtpUnit[] = [];
  const cursor = stream.ring.subscribe(() => take());
  const take = () => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) units.push(unit);
  };
  take();
  return { stream, held, units };
}

/** The packets of a track as they are stored in units. */
function packetsOf(units: readonly RtpUnit[], track: number) {
  return units.flatMap(({ wire, packets }) =>
    packets
      .filter((packet) => packet.track === track)
      .map(({ start, end }) => {
        const packet = Buffer.from(wire.subarray(start, end));
        return {
          isMarked: packet[1]! >= 0x80,
          sequence: packet.readUInt16BE(2),
          time: packet.readUInt32BE(4),
          payload: packet.subarray(12),
          frame: Buffer.from(wire.subarray(start - 4, start)),
        };
      }),
  );
}

describe('a stream in RTP', () => {
  test('starts with the parameter sets and the buffered keyframe', () => {
    source.picture(0, true);
    source.picture(40, false);
    source.flush();
    const { units } = open();
    const packets = packetsOf(units, 0);
    expect(units[0]).toMatchObject({ entryPoint: true, at: 0, sequences: [1000, 1000] });
    expect(packets[0]?.payload.toString('hex')).toStartWith(`78${Buffer.of(0, sps.length).toString('hex')}67`);
    expect(packets.map(({ isMarked }) => isMarked)).toEqual([false, false, false, true, true]);
    expect(packets.map(({ sequence }) => sequence)).toEqual([1000, 1001, 1002, 1003, 1004]);
    expect(packets.map(({ time }) => time)).toEqual([1000, 1000, 1000, 1000, 1000 + 40 * 90]);
    expect(packets[0]?.frame.toString('hex')).toBe(
      `2400${(packets[0]!.payload.length + 12).toString(16).padStart(4, '0')}`,
    );
  });

  test('shows pictures at their presentation time, and audio by its samples', () => {
    source.picture(0, true, 80);
    for (const at of [0, 21, 43, 64, 85]) source.sound(at);
    source.sound(200);
    source.flush();
    const { units } = open();
    expect(packetsOf(units, 0)[0]?.time).toBe(1000 + 80 * 90);
    const sounds = packetsOf(units, 1);
    expect(sounds.map(({ time }) => time - 1000)).toEqual([0, 1024, 2048, 3072, 4096, 9600]);
    expect(sounds.every(({ isMarked }) => isMarked)).toBe(true);
  });

  test('sends reports that put video and audio on one clock, which never drifts from the stream', () => {
    source.picture(0, true);
    source.flush();
    const { stream } = open();
    const clock = (name: 'video' | 'audio', at?: number) => {
      const report = stream.report(name, at);
      expect([report[1], report[29], report.length % 4]).toEqual([200, 202, 0]);
      const seconds = report.readUInt32BE(8) + report.readUInt32BE(12) / 2 ** 32;
      return { ms: (seconds - 2_208_988_800) * 1000, time: report.readUInt32BE(16) - 1000 };
    };
    expect(clock('video').ms).toBeCloseTo(wall, 0);
    wall += 3_600_000;
    source.picture(400, false);
    source.flush();
    expect(clock('video').ms).toBeCloseTo(1_700_000_000_400, 0);
    expect(clock('video').time).toBe(36_000);
    expect(clock('audio')).toEqual({ ...clock('video'), time: 19_200 });
  });

  test('continues its sequence numbers when all players left and one returned', () => {
    source.picture(0, true);
    source.flush();
    const first = open();
    first.held.release();
    expect(first.stream.tracks).toEqual({});
    expect(first.stream.ring.newestEntry).toBe(-1);
    const last = packetsOf(first.units, 0).at(-1)!.sequence;
    first.stream.hold();
    expect(first.stream.ring.at(first.stream.ring.newestEntry)?.sequences[0]).toBe(last + 1);
  });

  test('reports when a track can no longer be read, and only then', () => {
    source.picture(0, true);
    source.flush();
    const { stream } = open();
    const changes: string[] = [];
    stream.onTrackChange = (name) => changes.push(name);
    source.publish();
    source.picture(0, true);
    source.flush();
    expect(changes).toEqual([]);
    source.sound(10, otherAudioHeader);
    source.flush();
    expect(changes).toEqual(['audio']);
  });

  test('drops unreadable data until the next keyframe', () => {
    const broken = frame(key, true);
    broken.writeUInt32BE(9999, 5);
    source.video(0, broken);
    source.picture(40, false);
    source.picture(80, true);
    source.picture(120, false);
    source.flush();
    const { units } = open();
    const times = new Set(packetsOf(units, 0).map(({ time }) => (time - 1000) / 90));
    expect([...times]).toEqual([80, 120]);
  });

  test('is described with everything a decoder needs', () => {
    source.picture(0, true);
    source.flush();
    const { stream } = open();
    const text = describeTracks(stream.tracks, '192.0.2.1', 7);
    expect(text.split('\r\n')).toEqual([
      ...['v=0', 'o=- 7 1 IN IP4 192.0.2.1', 's=Signalbox', 'c=IN IP4 0.0.0.0', 't=0 0', 'a=control:*'],
      ...['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000'],
      `a=fmtp:96 packetization-mode=1;profile-level-id=42c01e;sprop-parameter-sets=${sps.toString('base64')},${pps.toString('base64')}`,
      ...['a=control:trackID=0', 'm=audio 0 RTP/AVP 97', 'a=rtpmap:97 MPEG4-GENERIC/48000/2'],
      'a=fmtp:97 streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=1190',
      ...['a=control:trackID=1', ''],
    ]);
  });
});
