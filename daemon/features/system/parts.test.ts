import { expect, test } from 'bun:test';
import { systemFlags } from '../../contract/variant.ts';
import { folderPart, mediaParts, memoryPart, statusCode } from './parts.ts';

const load = {
  ...{ cpu: 0, mem: 0, netTx: 0, netRx: 0 },
  ...{ availableBytes: 2 ** 30, diskTotalBytes: 2 ** 40, diskFreeBytes: 2 ** 30 },
};

const where = { ffmpeg: '/opt/ffmpeg', startsEngine: true };

test('a running engine shows its own parts, one that is down the reason', () => {
  const srt = { name: 'srt', ok: true, port: 8000 } as const;
  expect(mediaParts({ engine: 'running', reason: '', isFailing: false, parts: [srt] }, where)).toEqual([
    { name: 'engine', ok: true },
    srt,
  ]);
  expect(mediaParts({ engine: 'starting', reason: '', isFailing: false, parts: [srt] }, where)).toMatchObject([
    { ok: false, reason: 'starting' },
  ]);
  expect(mediaParts({ engine: 'down', reason: 'it ended', isFailing: false, parts: [] }, where)).toMatchObject([
    { ok: false, reason: 'crashed', message: 'the media engine is down: it ended' },
  ]);
  expect(mediaParts({ engine: 'starting', reason: 'it ended', isFailing: true, parts: [] }, where)).toMatchObject([
    { ok: false, reason: 'failing' },
  ]);
});

test('the engine of a unit that does not run is reported as such, not as one that the hub restarts', () => {
  const reasonOf = (engine: 'starting' | 'down') =>
    mediaParts({ engine, reason: 'x', isFailing: true, parts: [] }, { ...where, startsEngine: false })[0]?.reason;
  expect([reasonOf('starting'), reasonOf('down')]).toEqual(['starting', 'unitStopped']);
});

test('an unusable FFmpeg is reported with the place where it was searched', () => {
  const ffmpeg = { name: 'ffmpeg', ok: false, reason: 'missing' } as const;
  expect(mediaParts({ engine: 'running', reason: '', isFailing: false, parts: [ffmpeg] }, where)).toContainEqual({
    ...ffmpeg,
    path: '/opt/ffmpeg',
  });
});

test('a full disk is reported, one that was not measured yet is not', () => {
  expect(folderPart('/data', load)).toEqual([]);
  expect(folderPart('/data', { ...load, diskTotalBytes: 0, diskFreeBytes: 0 })).toEqual([]);
  expect(folderPart('/data', { ...load, diskFreeBytes: 5 * 1024 * 1024 })).toMatchObject([
    { name: 'folder', reason: 'noSpace', message: '/data has only 5 MB left; make room on that disk' },
  ]);
});

test('low memory is reported, one that was not measured yet is not', () => {
  expect([memoryPart(load), memoryPart({ ...load, availableBytes: 0 })]).toEqual([[], []]);
  expect(memoryPart({ ...load, availableBytes: 100 * 2 ** 20 })).toEqual([
    {
      ...{ name: 'memory', ok: false, reason: 'memoryLow', 'free-mb': 100 },
      message: 'only 100 MB of memory are available; streams may stop',
    },
  ]);
});

test('the flags report a failed relay and low memory', () => {
  const failed = (name: string) => statusCode([{ name, ok: false }], load);
  const services = ['rtmp', 'srt', 'udp', 'hls'];
  expect(services.map(failed)).toEqual(services.map(() => systemFlags.relayStartFailed));
  expect([failed('ffmpeg'), statusCode([{ name: 'srt', ok: true }], load)]).toEqual([0, 0]);
  expect(statusCode([], { ...load, availableBytes: 1024 })).toBe(systemFlags.memoryLow);
  const both = statusCode([{ name: 'srt', ok: false }], { ...load, availableBytes: 1024 });
  expect(both).toBe(systemFlags.relayStartFailed + systemFlags.memoryLow);
});
