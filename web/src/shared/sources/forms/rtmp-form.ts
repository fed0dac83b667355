import * as z from 'zod/mini';
import { RtmpTarget } from '../../../../../daemon/contract/stream-fields.ts';
import { addressParts } from '../shown-address.ts';
import type { SourceValues } from '../source-values.ts';
import { heldFields } from './input-options.ts';
import { dots, loginFaults, loginOf, type ProtocolForm } from './protocol-form.ts';

export const rtmpLogin = { auth: 'rtmpAuth', user: 'rtmpUser', password: 'rtmpPassword' } as const;

/** An unchanged key is not part of the request. */
const Target = z.extend(RtmpTarget, { key: z.optional(RtmpTarget.shape.key) });

function targetOf(values: SourceValues) {
  const { rtmpUrl, rtmpKey, isKeyKept } = values;
  const key = rtmpKey === '' && isKeyKept ? {} : { key: rtmpKey };
  return { url: rtmpUrl.trim(), ...key, ...loginOf(values, rtmpLogin) };
}

export const rtmpForm: ProtocolForm = {
  read: (config) => {
    const { url, key } = addressParts(config);
    return {
      rtmpUrl: url,
      rtmpKey: key,
      isKeyKept: config['key-set'] ?? false,
      rtmpAuth: config['enable-auth'] ?? false,
      rtmpUser: config.username ?? '',
    };
  },
  write: targetOf,
  schema: Target,
  ruled: targetOf,
  fields: { ...heldFields, url: 'rtmpUrl', key: 'rtmpKey', username: 'rtmpUser', password: 'rtmpPassword' },
  missing: (values, known) => loginFaults(values, rtmpLogin, known),
  preview: ({ rtmpUrl, rtmpKey, isKeyKept }) =>
    rtmpUrl === '' ? undefined : `${rtmpUrl.replace(/\/$/, '')}/${rtmpKey === '' && !isKeyKept ? '' : dots}`,
};
