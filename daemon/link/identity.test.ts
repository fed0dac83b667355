import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSecrets } from '../store/secrets.ts';
import { LinkFault } from './codes.ts';
import { createDialerHandshake, createListenerHandshake } from './handshake.ts';
import { createIdentity, isSigned, openIdentity, signTranscript, type Transcript } from './identity.ts';
import { toPayload } from './payloads.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-identity-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('an identity', () => {
  test('is created once, readable to its owner only, and sealed', () => {
    const file = join(folder, 'link.key');
    const secrets = openSecrets(join(folder, 'secret.key'));
    const { publicKey } = openIdentity(file, secrets);
    expect(openIdentity(file, secrets).publicKey).toBe(publicKey);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('PRIVATE KEY');
    expect(() => openIdentity(file, openSecrets(join(folder, 'other.key')))).toThrow();
  });

  test('signs for one side, one pair of nonces, one serial and one certificate', () => {
    const [device, hub] = [createIdentity(), createIdentity()];
    const transcript: Transcript = {
      deviceNonce: 'n1',
      hubNonce: 'n2',
      deviceKey: device.publicKey,
      hubKey: hub.publicKey,
      serial: 'SN1',
      certificate: Uint8Array.of(1, 2, 3),
    };
    const signature = signTranscript(device, 'device', transcript);
    expect(isSigned(signature, 'device', transcript)).toBeTrue();
    expect(isSigned(signature, 'hub', transcript)).toBeFalse();
    expect(isSigned(signature, 'device', { ...transcript, deviceKey: hub.publicKey })).toBeFalse();
    const changes: Partial<Transcript>[] = [
      { deviceNonce: 'n3' },
      { hubNonce: 'n3' },
      { hubKey: device.publicKey },
      { serial: 'SN2' },
      { certificate: undefined },
      { certificate: Uint8Array.of(1, 2, 4) },
      // The same bytes, divided differently.
      { deviceNonce: 'n', hubNonce: '1n2' },
    ];
    for (const change of changes) expect(isSigned(signature, 'device', { ...transcript, ...change })).toBeFalse();
    expect(isSigned('', 'device', transcript)).toBeFalse();
    expect(isSigned(signature, 'device', { ...transcript, deviceKey: 'no key' })).toBeFalse();
  });
});

describe('the handshake', () => {
  const limits = { window: 8192, frame: 65_536, streams: 256 };
  const certificate = Uint8Array.of(9);
  const start = (pinnedKey?: string) => {
    const [device, hub] = [createIdentity(), createIdentity()];
    const claim = { role: 'device', serial: 'SN1', details: { model: 'Encoder' } } as const;
    const dialer = createDialerHandshake({ identity: device, claim, limits, pinnedKey, certificate });
    return { device, hub, dialer, listener: createListenerHandshake({ identity: hub, certificate }) };
  };
  const codeOf = (work: () => unknown) => {
    try {
      work();
      return undefined;
    } catch (error) {
      return error instanceof LinkFault ? error.code : String(error);
    }
  };

  test('proves both keys', () => {
    const { device, hub, dialer, listener } = start();
    const proof = dialer.onChallenge(toPayload(listener.onHello(toPayload(dialer.hello()))));
    const { claim } = listener.onProof(toPayload(proof));
    expect(claim).toEqual({ role: 'device', serial: 'SN1', key: device.publicKey, details: { model: 'Encoder' } });
    expect(dialer.hubKey).toBe(hub.publicKey);
  });

  test('refuses answers of an earlier handshake', () => {
    const { hub, dialer, listener } = start();
    const hello = toPayload(dialer.hello());
    const proof = toPayload(dialer.onChallenge(toPayload(listener.onHello(hello))));
    const again = createListenerHandshake({ identity: hub, certificate });
    again.onHello(hello);
    expect(codeOf(() => again.onProof(proof))).toBe('identity');
    const other = start();
    expect(codeOf(() => other.dialer.onChallenge(toPayload(listener.onHello(hello))))).toBe('identity');
  });

  test('sends no details to a hub that is not the pinned one', () => {
    const { dialer, listener } = start(createIdentity().publicKey);
    const challenge = toPayload(listener.onHello(toPayload(dialer.hello())));
    expect(codeOf(() => dialer.onChallenge(challenge))).toBe('identity');
  });

  test.each([
    ['version', { versions: [2, 3] }, 'version'],
    ['serial', { serial: '../x' }, 'malformed'],
    ['serial of 65 characters', { serial: 'x'.repeat(65) }, 'malformed'],
    ['key', { key: 'short' }, 'malformed'],
    ['frame', { limits: { ...limits, frame: 10 } }, 'malformed'],
    ['window', { limits: { ...limits, window: 1 << 30 } }, 'malformed'],
    ['role', { role: 'admin' }, 'malformed'],
  ])('refuses a HELLO with an invalid %s', (_, change, code) => {
    const { dialer, listener } = start();
    expect(codeOf(() => listener.onHello(toPayload({ ...dialer.hello(), ...change })))).toBe(code);
  });
});
