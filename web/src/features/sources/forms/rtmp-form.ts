import { RtmpTarget } from '../../../../../daemon/contract/streams.ts';
import type { SourceValues } from '../source-values.ts';
import { heldFields } from './input-options.ts';
import { dots, loginFaults, loginOf, type ProtocolForm } from './protocol-form.ts';

const loginFields = { auth: 'rtmpAuth', user: 'rtmpUser', password: 'rtmpPassword' } as const;

function targetOf(values: SourceValues) {
  return { url: values.rtmpUrl.trim(), key: values.rtmpKey, ...loginOf(values, loginFields) };
}

export const rtmpForm: ProtocolForm = {
  read: (config) => ({
    rtmpUrl: config.url,
    rtmpKey: config.key ?? '',
    rtmpAuth: config['enable-auth'] ?? false,
    rtmpUser: config.username ?? '',
  }),
  write: targetOf,
  schema: RtmpTarget,
  ruled: targetOf,
  fields: { ...heldFields, url: 'rtmpUrl', key: 'rtmpKey', username: 'rtmpUser', password: 'rtmpPassword' },
  missing: (values, known) => loginFaults(values, loginFields, known),
  preview: ({ rtmpUrl, rtmpKey }) =>
    rtmpUrl === '' ? undefined : `${rtmpUrl.replace(/\/$/, '')}/${rtmpKey === '' ? '' : dots}`,
};
