/** Addresses of streams in the settings file: the configuration as in the API, with the secrets beside it. */
import type * as z from 'zod/mini';
import { InputConfig } from '../contract/inputs.ts';
import { OutputConfig, type ShownConfig } from '../contract/outputs.ts';
import { fieldError } from '../lib/hub-error.ts';
import type { StreamAddress } from '../sources/stream-address.ts';
import { readStreamConfig, showStreamConfigTo } from '../sources/stream-config.ts';
import type { StreamRole } from '../sources/stream-options.ts';
import type { Secrets } from '../store/secrets.ts';
import { openAddress, type StoredAddress, sealAddress } from '../store/stored-address.ts';
import type { SecretMembers } from './section.ts';

export type FileConfig = Readonly<Record<string, unknown>>;

/** The secrets are in the file as they are: it is encrypted as a whole. */
const asIs = { seal: (text: string) => text };

export function addressToFile(secrets: Secrets, row: StoredAddress, role: StreamRole) {
  const address = openAddress(secrets, row);
  const { secret } = sealAddress(asIs, address);
  const isKeyHidden = 'isKeyHidden' in address && address.isKeyHidden === true;
  return {
    config: withoutFlags(showStreamConfigTo({ mayEdit: false }, address, role)),
    // Made from a server: its key is never shown.
    ...(isKeyHidden && { 'key-hidden': true }),
    secret: JSON.parse(secret ?? '{}') as SecretMembers,
  };
}

/** Flags say which secrets are set; the URL of a typed address says nothing more than its members. */
function withoutFlags(config: ShownConfig): FileConfig {
  const isTyped = config.srt || config.udp || config.rtp || config.ndi || config.port !== undefined;
  const { url, ...members } = config;
  return isTyped ? plain({ ...members, type: undefined }) : plain({ ...members, url });
}

function plain(value: Readonly<Record<string, unknown>>): FileConfig {
  const kept = Object.entries(value).filter(
    ([name, member]) => member !== undefined && !name.endsWith('-set') && name !== 'open',
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, isMembers(member) ? plain(member) : member]));
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const schemas: Readonly<Record<StreamRole, z.ZodMiniType>> = { input: InputConfig, output: OutputConfig };

/** Returns the address to store. Throws a HubError that names the member, as the calls of inputs and outputs do. */
export function addressFromFile(
  secrets: Pick<Secrets, 'seal'>,
  { config, secret, isKeyHidden }: { config: FileConfig; secret: SecretMembers; isKeyHidden: boolean },
  role: StreamRole,
): StoredAddress {
  const whole = withSecrets(config, secret);
  const checked = schemas[role].safeParse(whole);
  const [issue] = checked.error?.issues ?? [];
  if (issue) {
    const path = ['config', ...issue.path].map(String).join('.');
    throw fieldError(path, 'format', `${path}: ${issue.message}`);
  }
  const address = readStreamConfig(checked.data as Parameters<typeof readStreamConfig>[0], role);
  return sealAddress(secrets, (isKeyHidden ? { ...address, isKeyHidden: true } : address) as StreamAddress);
}

function withSecrets(config: FileConfig, { streamId, passphrase, query = '', ...members }: SecretMembers): FileConfig {
  const srt = {
    ...(streamId !== undefined && { 'stream-id': streamId }),
    ...(passphrase !== undefined && { passphrase }),
  };
  return {
    ...config,
    ...members,
    ...(typeof config.url === 'string' && { url: config.url + String(query) }),
    ...(isMembers(config.srt) && { srt: { ...config.srt, ...srt } }),
  };
}
