/** Pulled inputs: RTSP, or TS and HLS over HTTP. */
import { limits } from '../../../../../daemon/contract/limits.ts';
import { HttpSource, RtspSource } from '../../../../../daemon/contract/stream-fields.ts';
import { addressParts, shownAddress } from '../shown-address.ts';
import { numberOf, type SourceValues } from '../source-values.ts';
import { choiceFields } from './input-options.ts';
import { loginFaults, loginOf, type ProtocolForm } from './protocol-form.ts';

export const pullLogin = { auth: 'pullAuth', user: 'pullUser', password: 'pullPassword' } as const;

function sourceOf(values: SourceValues) {
  return {
    url: values.pullUrl.trim(),
    'buffer-duration': numberOf(values.pullBuffer),
    ...(values.protocol === 'rtsp' && { 'tcp-first': values.pullTcpFirst }),
    ...loginOf(values, pullLogin),
  };
}

const common: Omit<ProtocolForm, 'schema'> = {
  read: (config) => ({
    pullUrl: addressParts(config).url,
    pullTcpFirst: config['tcp-first'] ?? true,
    pullBuffer: String(config['buffer-duration'] ?? limits.bufferDuration.default),
    pullAuth: config['enable-auth'] ?? false,
    pullUser: config.username ?? '',
  }),
  write: (values) => ({ type: 1, ...sourceOf(values) }),
  ruled: sourceOf,
  fields: {
    ...choiceFields,
    url: 'pullUrl',
    'buffer-duration': 'pullBuffer',
    username: 'pullUser',
    password: 'pullPassword',
  },
  missing: (values, known) => loginFaults(values, pullLogin, known),
  preview: ({ pullUrl }) => shownAddress({ url: pullUrl.trim() }) || undefined,
};

export const rtspForm: ProtocolForm = { ...common, schema: RtspSource };
export const httpForm: ProtocolForm = { ...common, schema: HttpSource };
