import { describe, expect, test } from 'bun:test';
import { parsed } from '../../tests/support/parsed-url.ts';
import { labelOf, type SrtStream, type StreamAddress } from './stream-address.ts';
import { formatStreamUrl, parseStreamUrl } from './stream-url.ts';

const parse = (url: string, kept?: SrtStream) => parsed(() => parseStreamUrl(url, kept));

const srt: SrtStream = {
  protocol: 'srt',
  mode: 'caller',
  host: 'ingest.example.net',
  port: 9000,
  latencyMs: 120,
  overheadPercent: 0,
  streamId: '',
  keyLength: 0,
  passphrase: '',
  maxConnections: 30,
};
const udp = { protocol: 'udp', host: '239.1.2.3', port: 5000, ttl: 16, interface: '', source: '' } as const;

describe('reading a URL', () => {
  const readable: [url: string, address: StreamAddress][] = [
    ['udp://239.1.2.3:5000', udp],
    ['udp://@239.1.2.3:5000', udp],
    ['UDP://239.1.2.3:5000/', udp],
    ['udp://0.0.0.0:5000', { ...udp, host: '0.0.0.0' }],
    ['udp://239.1.2.3:5000?ttl=4&localaddr=192.0.2.7', { ...udp, ttl: 4, interface: '192.0.2.7' }],
    ['udp://[ff02::1]:5000', { ...udp, host: 'ff02::1' }],
    ['udp://239.1.2.3:5000?source=192.0.2.9', { ...udp, source: '192.0.2.9' }],
    ['rtp://239.1.2.3:5004?ttl=4', { ...udp, protocol: 'rtp', port: 5004, ttl: 4 }],
    ['srt://ingest.example.net:9000', srt],
    ['srt://ingest.example.net:9000?mode=caller&latency=200', { ...srt, latencyMs: 200 }],
    ['srt://0.0.0.0:9000?mode=listener', { ...srt, mode: 'listener', host: '0.0.0.0' }],
    ['srt://0.0.0.0:9000?mode=listener&maxconn=4', { ...srt, mode: 'listener', host: '0.0.0.0', maxConnections: 4 }],
    ['srt://ingest.example.net:9000?oheadbw=50', { ...srt, overheadPercent: 50 }],
    [
      'srt://ingest.example.net:9000?passphrase=correct%20horse&pbkeylen=32',
      { ...srt, passphrase: 'correct horse', keyLength: 32 },
    ],
    ['srt://ingest.example.net:9000?passphrase=0123456789', { ...srt, passphrase: '0123456789', keyLength: 16 }],
    ['srt://ingest.example.net:9000?passphrase=0123456789&pbkeylen=0', srt],
    [
      'srt://ingest.example.net:9000?streamid=#!::r=live/studio,m=publish&latency=40',
      { ...srt, streamId: '#!::r=live/studio,m=publish', latencyMs: 40 },
    ],
    ['srt://ingest.example.net:9000?streamid=a%26b%3Dc%2Bd', { ...srt, streamId: 'a&b=c+d' }],
  ];
  test.each(readable)('%s is understood', (url, address) => {
    expect(parse(url)).toEqual({ address } as ReturnType<typeof parse>);
  });

  const refused: [url: string, rule: string, detail: string][] = [
    ['udp://239.1.2.3', 'required', 'port'],
    ['udp://239.1.2.3:http', 'port', 'port'],
    ['udp://239.1.2.3:0', 'range', 'port'],
    ['udp://239.1.2.3:65536', 'range', 'port'],
    ['udp://:5000', 'required', 'host'],
    ['udp://999.1.2.3:5000', 'host', 'host'],
    ['udp://a b:5000', 'host', 'host'],
    ['udp://239.1.2.3:5000/path', 'url', 'not of the form scheme://host:port?options'],
    ['udp://239.1.2.3:5000?ttl=0', 'range', 'ttl'],
    ['udp://239.1.2.3:5000?source=camera', 'ip', 'source'],
    ['rtp://239.1.2.3', 'required', 'port'],
    ['udp://239.1.2.3:5000?ttl=-1', 'number', 'ttl'],
    ['udp://239.1.2.3:5000?ttl=4&ttl=5', 'repeated', 'ttl'],
    ['udp://239.1.2.3:5000?pkt_size=1316', 'unknownOption', 'pkt_size'],
    ['udp://239.1.2.3:5000?constructor=1', 'unknownOption', 'constructor'],
    ['udp://239.1.2.3:5000?latency=100', 'unknownOption', 'latency'],
    ['srt://ingest.example.net:9000?latency=19', 'range', 'latency'],
    ['srt://ingest.example.net:9000?latency=1e3', 'number', 'latency'],
    ['srt://ingest.example.net:9000?mode=rendezvous', 'choice', 'mode'],
    ['srt://ingest.example.net:9000?pbkeylen=8', 'choice', 'pb-key-len'],
    ['srt://ingest.example.net:9000?passphrase=short', 'tooShort', 'passphrase'],
    ['http://239.1.2.3:5000', 'url', 'not of the form scheme://host:port?options'],
    ['nonsense', 'url', 'not of the form scheme://host:port?options'],
  ];
  test.each(refused)('%s is refused by its rule', (url, rule, detail) => {
    expect(parse(url)).toEqual({ fault: { rule, detail: expect.stringContaining(detail) } });
  });
});

test('a URL without encryption keeps the one there is; pbkeylen=0 removes it', () => {
  const kept: SrtStream = { ...srt, passphrase: 'correct horse', keyLength: 24, overheadPercent: 50, streamId: 'old' };
  const read = (query: string) => parse(`srt://ingest.example.net:9000?${query}`, kept);
  expect(read('latency=300')).toEqual({
    address: { ...srt, latencyMs: 300, passphrase: 'correct horse', keyLength: 24 },
  });
  expect(read('pbkeylen=32')).toEqual({ address: { ...srt, passphrase: 'correct horse', keyLength: 32 } });
  expect(read('passphrase=battery staple')).toEqual({
    address: { ...srt, passphrase: 'battery staple', keyLength: 24 },
  });
  expect(read('pbkeylen=0')).toEqual({ address: srt });
});

describe('writing a URL', () => {
  const addresses: StreamAddress[] = [
    udp,
    { ...udp, host: '192.0.2.9' },
    { ...udp, host: '192.0.2.9', ttl: 3, interface: '192.0.2.7' },
    { ...udp, host: 'ff02::1' },
    srt,
    { ...srt, mode: 'listener', host: '0.0.0.0' },
    { ...srt, overheadPercent: 60, streamId: '#!::r=live/a&b,m=publish é+', latencyMs: 8000 },
  ];
  test.each(addresses.map((address) => [formatStreamUrl(address), address] as const))(
    '%s is read back as the same address',
    (url, address) => {
      expect(parse(url)).toEqual({ address } as ReturnType<typeof parse>);
    },
  );

  test('it contains no secret', () => {
    const rtmp: StreamAddress = {
      protocol: 'rtmp',
      url: 'rtmp://live.example.net/app',
      key: 'secret-key',
      username: 'me',
      password: 'secret-word',
    };
    const all = [rtmp, { ...srt, passphrase: 'secret-phrase', keyLength: 16 as const }].map(formatStreamUrl);
    expect(all.join(' ')).not.toContain('secret');
    expect(all[1]).toContain('pbkeylen=16');
  });
});

test('a label names the destination without options', () => {
  expect(labelOf({ ...srt, streamId: 'studio' })).toBe('srt://ingest.example.net:9000');
  expect(labelOf({ ...udp, host: '2001:db8::1' })).toBe('udp://[2001:db8::1]:5000');
});
