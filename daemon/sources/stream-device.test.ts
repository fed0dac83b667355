import { describe, expect, test } from 'bun:test';
import { HubError } from '../lib/hub-error.ts';
import {
  hasSecret,
  readStreamEntry,
  type StreamEntry,
  type StreamOfDevice,
  shownSnapshot,
  shownSource,
} from './stream-device.ts';

function refusal(entry: StreamEntry, kept?: StreamOfDevice) {
  try {
    readStreamEntry(entry, kept);
  } catch (error) {
    if (error instanceof HubError) return error.fields?.[0];
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a stream that is entered', () => {
  test('has the login of its URL, or of the fields', () => {
    const inUrl = readStreamEntry({ address: 'rtsp://viewer:secret@cam.example/live', user: '', password: '' });
    const inFields = readStreamEntry({ address: 'rtsp://cam.example/live', user: 'viewer', password: 'secret' });
    expect(inUrl.source).toMatchObject({ url: 'rtsp://cam.example/live', username: 'viewer', password: 'secret' });
    expect(inFields).toEqual(inUrl);
    expect(readStreamEntry({ address: 'http://cam.example/live.ts' }).source).toMatchObject({ username: '' });
  });

  test.each([
    ['rtsp://192.0.2.1/live', '/picture.jpg', 'http://192.0.2.1/picture.jpg'],
    ['rtsp://[2001:db8::1]:8554/live', '/a?b=c', 'http://[2001:db8::1]/a?b=c'],
    ['http://cam.example:8080/live.ts', '/a.jpg', 'http://cam.example:8080/a.jpg'],
    ['srt://cam.example:9000', 'https://CAM.example:8443/a.jpg#x', 'https://cam.example:8443/a.jpg'],
    ['rtmp://cam.example/live/key', '', ''],
  ])('%s with the picture %s has it at %s', (address, snapshot, url) => {
    expect(readStreamEntry({ address, snapshot }).snapshot).toBe(url);
  });

  test.each<[StreamEntry, string, string]>([
    [{ address: '' }, 'address', 'required'],
    [{ address: 'cam.example' }, 'address', 'scheme'],
    [{ address: 'udp://239.0.0.1:5000' }, 'address', 'deviceStream'],
    [{ address: 'srt://0.0.0.0:9000?mode=listener' }, 'address', 'deviceStream'],
    [{ address: 'ndi://MACHINE%20(Cam)' }, 'address', 'deviceStream'],
    [{ address: 'rtsp://a b/x' }, 'address', 'rtspUrl'],
    [{ address: 'rtsp://cam.example/x', user: 'a' }, 'password', 'required'],
    [{ address: 'srt://cam.example:9000', user: 'a', password: 'b' }, 'user', 'unsupported'],
    [{ address: 'rtsp://cam.example/x', snapshot: 'http://other.example/a.jpg' }, 'snapshot', 'snapshotHost'],
    [{ address: 'rtsp://cam.example/x', snapshot: 'http://u:p@cam.example/a.jpg' }, 'snapshot', 'snapshotHost'],
    [{ address: 'rtsp://cam.example/x', snapshot: '//other.example/a.jpg' }, 'snapshot', 'snapshotHost'],
  ])('%j is refused: %s, %s', (entry, path, rule) => {
    expect(refusal(entry)).toMatchObject({ path, rule });
  });
});

describe('a stream that is changed', () => {
  const kept = readStreamEntry({
    address: 'rtsp://viewer:secret@cam.example/live?token=abc',
    snapshot: '/picture.jpg?token=abc',
  });
  const secretSrt = readStreamEntry({ address: 'srt://cam.example:9000?streamid=ab12cd&passphrase=0123456789abc' });

  test('keeps its secrets when what is shown of it is sent back', () => {
    for (const stream of [kept, secretSrt]) {
      const { source, snapshot } = stream;
      const shown = { address: shownSource(source, true), snapshot: shownSnapshot(snapshot, true) };
      expect(JSON.stringify(shown)).not.toMatch(/secret|0123456789abc/);
      expect(readStreamEntry(shown, stream)).toEqual(stream);
      expect(hasSecret(source)).toBe(true);
    }
    expect(readStreamEntry({ password: 'next' }, kept).source).toMatchObject({ username: 'viewer', password: 'next' });
    expect(readStreamEntry({ user: '', password: '' }, kept).source).toMatchObject({ username: '', password: '' });
  });

  test('shows neither key, stream id nor query to those who may not edit it', () => {
    expect(shownSource(kept.source, false)).toBe('rtsp://cam.example/live');
    expect(shownSnapshot(kept.snapshot, false)).toBe('http://cam.example/picture.jpg');
    expect(shownSource(secretSrt.source, false)).not.toContain('ab12cd');
  });

  test('on another server needs the password again, and loses its picture', () => {
    expect(refusal({ address: 'rtsp://other.example/live', user: 'viewer' }, kept)).toMatchObject({
      ...{ path: 'password', rule: 'secretAgain' },
    });
    const moved = readStreamEntry({ address: 'rtsp://other.example/live', user: 'viewer', password: 'p' }, kept);
    expect(moved.snapshot).toBe('');
  });
});
