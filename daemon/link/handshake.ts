/**
 * Both sides of the handshake, without I/O. HELLO names the device; CHALLENGE carries the hub's signature, so that the
 * device knows the hub before it sends anything secret; PROOF carries the device's signature and its registration;
 * WELCOME the result.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { LinkFault } from './codes.ts';
import type { PeerLimits } from './core.ts';
import { maxDataBytes } from './frames.ts';
import { type Identity, isSigned, signTranscript, type Transcript } from './identity.ts';
import { payloadReader } from './payloads.ts';
import { largestWindow } from './receive-window.ts';

const version = 1;
/** 32 bytes. */
const token = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/));
const signature = z.string().check(z.regex(/^[A-Za-z0-9_-]{86}$/));
const serial = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/));
const within = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max));
const limits = z.object({
  window: within(1, largestWindow),
  // Smaller frames would cost more than they carry.
  frame: within(1024, maxDataBytes),
  streams: within(1, 65_535),
});

export const registrationStates = [
  /** The hub is registering the device. */
  'registering',
  'accepted',
  'refused',
  /** An administrator has to accept the device. */
  'waiting',
  'deleted',
  /** Another device, with another key, has this serial number. */
  'exists',
  'wrongCode',
  /** The device must not register with this hub. */
  'illegal',
] as const;
export type RegistrationState = (typeof registrationStates)[number];
/** States in which the link stays open; in the others the hub closes it. */
export const keepsLink: ReadonlySet<RegistrationState> = new Set(['registering', 'waiting', 'accepted']);

const roles = ['device', 'hub', 'relay'] as const;
const details = z.record(z.string().check(z.regex(/^[a-z][A-Za-z0-9]{0,31}$/)), z.string().check(z.maxLength(256)));

const hello = z.object({
  versions: z.tuple([within(1, 1000), within(1, 1000)]),
  role: z.enum(roles),
  serial,
  key: token,
  nonce: token,
  limits,
});
const challenge = z.object({ version: within(1, 1000), key: token, nonce: token, signature });
const proof = z.object({ signature, details });
const welcome = z.object({
  state: z.enum(registrationStates),
  limits,
  /** After the link breaks, the device reconnects after a random time up to this many milliseconds. */
  spreadMs: within(0, 3_600_000),
});
export type Welcome = z.infer<typeof welcome>;

const readHello = payloadReader('HELLO', hello);
const readChallenge = payloadReader('CHALLENGE', challenge);
const readProof = payloadReader('PROOF', proof);
const readWelcome = payloadReader('WELCOME', welcome);

/** Who a device is and says it is. The key is proven, the rest is claimed. */
export interface Claim {
  readonly role: (typeof roles)[number];
  /** 1 to 64 letters, digits, dots, underscores and hyphens. */
  readonly serial: string;
  readonly key: string;
  /** Of the registration, such as `invitationCode`, `model`, `name`, `version`: texts of up to 256 characters. */
  readonly details: Readonly<Record<string, string>>;
}

/** What a device says about itself. */
export type OwnClaim = Omit<Claim, 'key'>;

const newNonce = () => randomBytes(32).toString('base64url');

export interface DialerHandshakeOptions {
  readonly identity: Identity;
  readonly claim: OwnClaim;
  readonly limits: PeerLimits;
  /** The key that the hub had before; another one is refused. */
  readonly pinnedKey: string | undefined;
  /** Hash of the certificate that the hub showed. */
  readonly certificate: Uint8Array | undefined;
}

export function createDialerHandshake({ identity, claim, ...options }: DialerHandshakeOptions) {
  const deviceNonce = newNonce();
  let hubKey: string | undefined;
  return {
    hello: (): z.infer<typeof hello> => ({
      versions: [version, version],
      role: claim.role,
      serial: claim.serial,
      key: identity.publicKey,
      nonce: deviceNonce,
      limits: options.limits,
    }),
    /** Returns PROOF. Throws LinkFault if the hub is not the pinned one or sees another certificate. */
    onChallenge(payload: Uint8Array): z.infer<typeof proof> {
      const from = readChallenge(payload);
      if (from.version !== version) throw new LinkFault('version', `the hub chose version ${from.version}`);
      if (options.pinnedKey !== undefined && options.pinnedKey !== from.key)
        throw new LinkFault('identity', 'the hub has another key than before');
      const transcript: Transcript = {
        deviceNonce,
        hubNonce: from.nonce,
        deviceKey: identity.publicKey,
        hubKey: from.key,
        serial: claim.serial,
        certificate: options.certificate,
      };
      if (!isSigned(from.signature, 'hub', transcript))
        throw new LinkFault('identity', 'the signature of the hub is wrong, or it serves another certificate');
      hubKey = from.key;
      return { signature: signTranscript(identity, 'device', transcript), details: claim.details };
    },
    onWelcome: (payload: Uint8Array): Welcome => readWelcome(payload),
    /** Known after CHALLENGE. */
    get hubKey() {
      return hubKey;
    },
  };
}

export interface ListenerHandshakeOptions {
  readonly identity: Identity;
  /** Hash of the certificate that this hub serves. */
  readonly certificate: Uint8Array | undefined;
}

export function createListenerHandshake({ identity, certificate }: ListenerHandshakeOptions) {
  let greeted: { readonly from: z.infer<typeof hello>; readonly transcript: Transcript } | undefined;
  return {
    /** Returns CHALLENGE. */
    onHello(payload: Uint8Array): z.infer<typeof challenge> {
      const from = readHello(payload);
      const [oldest, newest] = from.versions;
      if (oldest > version || newest < version)
        throw new LinkFault('version', `the device speaks versions ${oldest} to ${newest}`);
      const transcript: Transcript = {
        deviceNonce: from.nonce,
        hubNonce: newNonce(),
        deviceKey: from.key,
        hubKey: identity.publicKey,
        serial: from.serial,
        certificate,
      };
      greeted = { from, transcript };
      const own = { version, key: identity.publicKey, nonce: transcript.hubNonce };
      return { ...own, signature: signTranscript(identity, 'hub', transcript) };
    },
    /** Throws LinkFault if the device has not signed, or sees another certificate. */
    onProof(payload: Uint8Array): { readonly claim: Claim; readonly limits: PeerLimits } {
      const { signature: given, details: ofClaim } = readProof(payload);
      if (greeted === undefined || !isSigned(given, 'device', greeted.transcript))
        throw new LinkFault('identity', 'the signature of the device is wrong, or it sees another certificate');
      const { role, serial: ofDevice, key, limits: ofPeer } = greeted.from;
      // Otherwise each of thousands of links would keep it.
      greeted = undefined;
      return { claim: { role, serial: ofDevice, key, details: ofClaim }, limits: ofPeer };
    },
  };
}
