import { describe, expect, test } from 'bun:test';
import type { Server } from '../../../../daemon/contract/servers.ts';
import { checkServer, serverConfig, serverField, serverPreview, serverValues, withoutKeys } from './server-form.ts';

const rtmp = { ...serverValues(undefined), name: 'CDN', url: 'rtmp://live.example/app/', mainKey: 'secret' };
const caller = { ...rtmp, type: '2', host: 'studio.example', port: '9000', mainKey: '' } as const;
const stored: Server = {
  ...{ id: 1, name: 'CDN', revision: 1, type: 1, url: 'rtmp://live.example/app', 'enable-auth': false },
  ...{ 'main-stream': true, 'main-key-set': true, 'sub-stream': false, 'sub-key-set': false },
};

describe('the request', () => {
  test('has only the members of its type', () => {
    expect(serverConfig(rtmp, true)).toEqual({
      ...{ type: 1, url: 'rtmp://live.example/app/', 'enable-auth': false },
      ...{ 'main-stream': true, 'main-key': 'secret', 'sub-stream': false },
    });
    expect(serverConfig({ ...caller, type: '3', host: '' }, true)).toMatchObject({
      ...{ type: 3, url: '0.0.0.0', port: 9000, latency: 120, 'max-connections': 30, 'main-key': '' },
    });
  });

  test('omits a stored key that was not typed again', () => {
    expect(serverConfig(serverValues(stored), false)).not.toHaveProperty('main-key');
  });
});

test.each([
  [{ ...rtmp, mainKey: '' }, 'mainKey', 'required'],
  [{ ...rtmp, mainStream: false }, 'mainStream', 'required'],
  [{ ...rtmp, subStream: true, subKey: 'secret' }, 'subKey', 'unique'],
  [{ ...rtmp, url: 'srt://x' }, 'url', 'rtmpUrl'],
  [{ ...rtmp, auth: true, user: 'crew' }, 'password', 'required'],
  [{ ...caller, port: '' }, 'port', 'number'],
  [{ ...caller, host: '' }, 'host', 'required'],
  [{ ...caller, keyLength: '16' }, 'passphrase', 'passphraseNeeded'],
] as const)('%j has a fault at %s: %s', (values, field, rule) => {
  expect(checkServer(values, undefined)[field]).toBe(rule);
});

test('valid and stored fields are complete', () => {
  expect(checkServer(rtmp, undefined)).toEqual({});
  expect(checkServer(caller, undefined)).toEqual({});
  expect(checkServer(serverValues(stored), stored)).toEqual({});
  expect(checkServer({ ...serverValues(stored), type: '2', host: 'x', port: '1' }, stored)).toEqual({});
});

test('a copy needs keys of its own and keeps the password', () => {
  const original = { ...stored, 'enable-auth': true, username: 'crew', 'password-set': true };
  const copy = withoutKeys(original);
  expect(checkServer(serverValues(copy), copy)).toEqual({ mainKey: 'required' });
  expect(checkServer({ ...serverValues(copy), mainKey: 'other' }, copy)).toEqual({});
  expect(checkServer(serverValues(original), original)).toEqual({});
});

test('a fault from the hub is shown at its field', () => {
  expect(serverField('config.url', rtmp)).toBe('url');
  expect(serverField('config.url', caller)).toBe('host');
  expect(serverField('config.sub-key', rtmp)).toBe('subKey');
  expect(serverField('name', rtmp)).toBe('name');
});

test('the preview has a line for each stream, and no secret', () => {
  expect(serverPreview({ ...rtmp, subStream: true }, undefined)).toEqual([
    'rtmp://live.example/app/••••••',
    'rtmp://live.example/app/',
  ]);
  expect(serverPreview({ ...caller, mainKey: 'secret', keyLength: '16' }, undefined)).toEqual([
    'srt://studio.example:9000?mode=caller&latency=120&streamid=••••••&pbkeylen=16&passphrase=••••••',
  ]);
  expect(serverPreview({ ...caller, port: '' }, undefined)).toBeUndefined();
});
