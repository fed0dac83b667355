import { describe, expect, test } from 'bun:test';
import { parsed } from '../../tests/support/parsed-url.ts';
import { parseStreamUrl } from './stream-url.ts';

const parse = (url: string) => parsed(() => parseStreamUrl(url));

const bare = 'srt://ingest.example.net:9000';
const read = (query: string) => parse(`${bare}?${query}`);

describe('an option that matches what the hub does anyway changes nothing', () => {
  const dropped = [
    'pkt_size=1316',
    'payload_size=1316',
    'payloadsize=1316',
    'maxbw=-1',
    'tlpktdrop=1',
    'tlpktdrop=true',
    'transtype=live',
    'buffer_size=65536',
    'sndbuf=8388608',
    'rcvbuf=11927552',
    'rcvbuf=-1',
    'connect_timeout=3000',
    'lossmaxttl=0',
    'inputbw=0',
    'nakreport=yes',
    'linger=0',
    'ipttl=64',
    'iptos=184',
    'iptos=0xB8',
    'smoother=live',
    'congestion=live',
    'messageapi=1',
    'tsbpd=1',
    'enforced_encryption=1',
    'timeout=-1',
    'mode=caller&pkt_size=1316&transtype=live&tlpktdrop=1',
  ];
  test.each(dropped)('%s', (query) => {
    expect(read(query)).toEqual(parse(bare));
  });
});

describe('an option with a setting of its own is read', () => {
  test.each([
    ['rcvlatency=400', { latencyMs: 400 }],
    ['peerlatency=400', { latencyMs: 400 }],
    ['latency=400&rcvlatency=400&peerlatency=400', { latencyMs: 400 }],
    ['oheadbw=25', { overheadPercent: 25 }],
    ['oheadbw=25&maxbw=0&inputbw=0', { overheadPercent: 25 }],
    ['mode=listener', { mode: 'listener' }],
    ['streamid=a&pkt_size=1316', { streamId: 'a' }],
  ] as const)('%s', (query, members) => {
    expect(read(query)).toMatchObject({ address: members });
  });
});

describe('an unsupported option is refused with its name and the reason', () => {
  test.each([
    ['pkt_size=1456', 'pkt_size', 'seven TS packets'],
    ['payload_size=188', 'payload_size', 'seven TS packets'],
    ['maxbw=0', 'maxbw', 'oheadbw'],
    ['maxbw=1250000', 'maxbw', 'not at a fixed rate'],
    ['maxbw=-1&oheadbw=25', 'maxbw', 'relative'],
    ['tlpktdrop=0', 'tlpktdrop', 'always dropped'],
    ['transtype=file', 'transtype', 'live streams only'],
    ['buffer_size=100000000', 'buffer_size', 'raise the latency'],
    ['sndbuf=11927553', 'sndbuf', 'raise the latency'],
    ['rcvbuf=much', 'rcvbuf', 'raise the latency'],
    ['localport=5000', 'localport', 'the system chooses'],
    ['localaddr=192.0.2.7', 'localaddr', 'the system chooses'],
    ['connect_timeout=500', 'connect_timeout', '3000 ms'],
    ['lossmaxttl=40', 'lossmaxttl', 'reported at once'],
    ['inputbw=1000000', 'inputbw', 'measures the rate'],
    ['nakreport=0', 'nakreport', 'reported again'],
    ['linger=180', 'linger', 'closed at once'],
    ['ipttl=5', 'ipttl', 'TTL of 64'],
    ['iptos=0', 'iptos', '0xB8'],
    ['packetfilter=fec', 'packetfilter', 'forward error correction'],
    ['latency=200&peerlatency=400', 'peerlatency', 'one latency'],
    ['rcvlatency=200&peerlatency=400', 'peerlatency', 'one latency'],
  ])('%s', (query, name, reason) => {
    expect(read(query)).toMatchObject({ fault: { rule: 'fixedOption' } });
    const { fault } = read(query) as { fault: { detail: string } };
    expect(fault.detail).toStartWith(`${name}: `);
    expect(fault.detail).toContain(reason);
  });

  test.each(['latency', 'rcvlatency', 'peerlatency'])(
    'microseconds in %s, as FFmpeg uses them, are out of range',
    (name) => {
      const detail = `${name}: 20 to 8000 milliseconds (FFmpeg counts microseconds)`;
      expect(read(`${name}=120000`)).toEqual({ fault: { rule: 'range', detail } });
      expect(read(`${name}=-1`)).toEqual({ fault: { rule: 'number', detail: `${name}: not a whole number` } });
      expect(read(`${name}=200&${name}=200`)).toEqual({
        fault: { rule: 'repeated', detail: `${name}: given more than once` },
      });
    },
  );
});

test('the options belong to SRT', () => {
  expect(parse('udp://239.1.2.3:5000?tlpktdrop=1')).toEqual({
    fault: { rule: 'unknownOption', detail: 'tlpktdrop: unknown option' },
  });
  expect(read('colour=red')).toEqual({ fault: { rule: 'unknownOption', detail: 'colour: unknown option' } });
});
