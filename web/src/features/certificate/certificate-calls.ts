import { queryOptions } from '@tanstack/react-query';
import type { BodyInput, ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { certificateApi, settingsApi } from '../../api/calls.ts';
import { call, fetchJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { CallError, readAnswer } from '../../lib/call-error.ts';

export const certificateQuery = queryOptions({
  queryKey: ['certificate'],
  queryFn: ({ signal }) => call(certificateApi.get, { signal }),
});

export interface PemFile {
  readonly name: string;
  readonly text: string;
}

type Upload = typeof certificateApi.upload | typeof certificateApi.uploadKey;

const uploader =
  <E extends Upload>(endpoint: E) =>
  async ({ name, text }: PemFile): Promise<ResponseOf<E>> => {
    const body = new FormData();
    body.append('file', new File([text], name));
    const init = { method: endpoint.method, body, signal: AbortSignal.timeout(limits.requestTimeoutMs) };
    return readAnswer(await fetchJson(endpoint.path, init)) as ResponseOf<E>;
  };
export const uploadCertificate = uploader(certificateApi.upload);
export const uploadKey = uploader(certificateApi.uploadKey);

export const tooLarge = {
  certificate: new CallError('caCertificateInvalid', { params: { what: 'tooLarge' } }),
  key: new CallError('caKeyInvalid', { params: { what: 'tooLarge' } }),
};

/** Timeout of slow calls: the hub tests a certificate before it installs it, and creates RSA keys. */
const slowMs = 30_000;

/** Returns the new revision of the settings. `seconds`: time limit for the confirmation; 0: the change is final. */
export async function installCertificate(web: SettingsChange['web'], seconds: number): Promise<number> {
  const body = { web, ...(seconds > 0 && { 'confirm-within': seconds }) };
  return (await call(settingsApi.set, { body, timeoutMs: slowMs })).revision;
}

export async function requestCertificate(body: BodyInput<typeof certificateApi.request>): Promise<string> {
  const { request } = await call(certificateApi.request, { body, timeoutMs: slowMs });
  await refresh('settings');
  return request;
}
