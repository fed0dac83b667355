import type { Context } from 'hono';
import { CertificateError } from '../../http/certificate.ts';
import { ListenError } from '../../http/listener.ts';
import type { HubEnv } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { withFaultStatus } from './fault-status.ts';
import { faultPage, type Language, languageIn } from './pages.ts';

/** On the hub's own port: a page for people, an error of the API for programs. */
export function faultResponse(
  c: Context<HubEnv>,
  error: unknown,
  { sn, language }: { readonly sn: string; readonly language: Language | undefined },
): Response {
  const known = asHubError(error);
  const status = withFaultStatus(known.result);
  const { result, message } = known;
  if (!(c.req.header('accept') ?? '').includes('text/html')) {
    throw new HubError(result, message, { http: status, ...(known.params && { params: known.params }) });
  }
  const asked = { cookie: c.req.header('cookie'), accepted: c.req.header('accept-language'), ofHub: language };
  const back = result === 'clientNotExist' ? '/#/devices/all' : `/#/device/detail/${encodeURIComponent(sn)}`;
  return c.html(faultPage(result, message, languageIn(asked), { url: back }), status as 400);
}

function asHubError(error: unknown): HubError {
  if (error instanceof HubError) return error;
  if (error instanceof ListenError) return new HubError('portOccupied', error.message);
  if (error instanceof CertificateError) return new HubError('caCertificateInvalid', error.message);
  throw error;
}
