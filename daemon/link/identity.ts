/** The long-term Ed25519 key of a hub or of a device, and what both sign when a link begins. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { replaceFile } from '../lib/durable-file.ts';

export interface Identity {
  /** The raw public key, 32 bytes in base64url. */
  readonly publicKey: string;
  sign(text: Uint8Array): Buffer;
}

/** Encrypts what is stored; the hub passes its secrets. */
export interface Sealing {
  seal(clear: string): string;
  /** Throws if the text was not sealed by this. */
  open(sealed: string): string;
}

/** Returns the identity in `file`, which is created for its owner only. Throws if it cannot be read or written. */
export function openIdentity(file: string, sealing: Sealing): Identity {
  let sealed: string;
  try {
    sealed = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return createIn(file, sealing);
  }
  return identityOf(createPrivateKey(sealing.open(sealed.trim())));
}

export function createIdentity(): Identity {
  return identityOf(generateKeyPairSync('ed25519').privateKey);
}

function createIn(file: string, sealing: Sealing): Identity {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  replaceFile(file, `${sealing.seal(pem)}\n`);
  return identityOf(privateKey);
}

function identityOf(privateKey: KeyObject): Identity {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new Error('the key is not an Ed25519 key');
  return { publicKey: x, sign: (text) => sign(null, text, privateKey) };
}

/** SHA-256 of a certificate in DER. */
export const hashOfCertificate = (der: Uint8Array): Buffer => createHash('sha256').update(der).digest();
/** The same for the first certificate of a PEM text. */
export const hashOfPem = (pem: string): Buffer => hashOfCertificate(new X509Certificate(pem).raw);

export interface Transcript {
  /** Nonces and keys in base64url. */
  readonly deviceNonce: string;
  readonly hubNonce: string;
  readonly deviceKey: string;
  readonly hubKey: string;
  readonly serial: string;
  /** Hash of the certificate that this side serves or sees; undefined without TLS. */
  readonly certificate: Uint8Array | undefined;
}

/** A signature of one side is never valid as one of the other. */
const contexts = { device: 'signalbox link 1, device', hub: 'signalbox link 1, hub' } as const;
type Signer = keyof typeof contexts;

export function signTranscript(identity: Identity, signer: Signer, transcript: Transcript): string {
  return identity.sign(textOf(signer, transcript)).toString('base64url');
}

export function isSigned(signature: string, signer: Signer, transcript: Transcript): boolean {
  const x = signer === 'device' ? transcript.deviceKey : transcript.hubKey;
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, textOf(signer, transcript), key, Buffer.from(signature, 'base64url'));
  } catch {
    // Not a key, or not a signature.
    return false;
  }
}

/** Each field is preceded by its length, so that no two transcripts have the same text. */
function textOf(signer: Signer, transcript: Transcript): Buffer {
  const { deviceNonce, hubNonce, deviceKey, hubKey, serial, certificate = new Uint8Array() } = transcript;
  const fields = [contexts[signer], deviceNonce, hubNonce, deviceKey, hubKey, serial, certificate];
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = typeof field === 'string' ? Buffer.from(field) : field;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
