import { limits } from '../../../../../daemon/contract/limits.ts';
import { RtspServer } from '../../../../../daemon/contract/stream-fields.ts';
import { numberOf, type SourceValues } from '../source-values.ts';
import { loginFaults, loginOf, type ProtocolForm } from './protocol-form.ts';

export const servedLogin = { auth: 'servedAuth', user: 'servedUser', password: 'servedPassword' } as const;

function servedOf(values: SourceValues) {
  return {
    port: numberOf(values.servedPort),
    key: values.servedKey.trim(),
    'max-client-num': numberOf(values.servedMaxClients),
    ...loginOf(values, servedLogin),
  };
}

/** An output from which players pull over RTSP. */
export const rtspServerForm: ProtocolForm = {
  read: (config) => ({
    servedPort: String(config.port),
    servedKey: config.key ?? '',
    servedMaxClients: String(config['max-client-num'] ?? limits.maxConnections.default),
    servedAuth: config['enable-auth'] ?? false,
    servedUser: config.username ?? '',
  }),
  write: (values) => ({ type: 0, ...servedOf(values) }),
  schema: RtspServer,
  ruled: servedOf,
  fields: {
    port: 'servedPort',
    key: 'servedKey',
    'max-client-num': 'servedMaxClients',
    username: 'servedUser',
    password: 'servedPassword',
  },
  missing: (values, known) => loginFaults(values, servedLogin, known),
  preview(values, hub) {
    const { port, key } = servedOf(values);
    return key === '' || Number.isNaN(port) ? undefined : `rtsp://${hub}:${port}/${key}`;
  },
};
