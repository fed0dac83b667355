import { expect, test } from 'bun:test';
import { ffmpegCommand, larixLink, srtUrl, type Target } from './encoder-settings.ts';

const target: Target = {
  hub: { host: '10.0.0.20', rtmpPort: 1935, srtPort: 8000, hlsPort: 8080 },
  ...{ channel: 'Roof camera', key: 'PUSH-1', rtmp: true, srt: true },
};

test('the command sends to the channel over RTMP, or over SRT if the channel accepts nothing else', () => {
  expect(ffmpegCommand(target)).toEndWith(' -f flv "rtmp://10.0.0.20/live/PUSH-1"');
  expect(ffmpegCommand({ ...target, rtmp: false })).toEndWith(
    ' -f mpegts "srt://10.0.0.20:8000?streamid=PUSH-1&latency=120000"',
  );
  expect(ffmpegCommand(target)).not.toContain('\n');
});

test('a key that is not plain text in a URL is encoded', () => {
  expect(srtUrl({ ...target, key: 'a+b@c' })).toBe('srt://10.0.0.20:8000?streamid=a%2Bb%40c&latency=120000');
});

test('the link for Larix has one connection, named after the channel', () => {
  expect(larixLink(target)).toBe(
    'larix://set/v1?conn[][url]=rtmp%3A%2F%2F10.0.0.20%2Flive%2FPUSH-1&conn[][name]=Roof%20camera&conn[][overwrite]=on',
  );
  expect(larixLink({ ...target, rtmp: false })).toContain(
    'conn[][url]=srt%3A%2F%2F10.0.0.20%3A8000&conn[][srtstreamid]=PUSH-1&conn[][srtlatency]=120&',
  );
});
