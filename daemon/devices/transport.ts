/**
 * How requests reach a device: directly over HTTP or HTTPS, or over the local socket of a link. Each request has a
 * connection of its own, because `fetch` silently repeats a request on a kept connection that the device has closed,
 * and a write must not be repeated.
 */
import { fetchFrom } from '../lib/fetch-from.ts';
import { type Outgoing, OutgoingError } from '../lib/outgoing.ts';
import { isUpload } from './device-upload.ts';
import type { DeviceRequest, DeviceResponse, DeviceUpload, Transport } from './driver.ts';
import { type PinnedServer, requestPinned } from './pinned-request.ts';
import { DeviceProblem } from './problem.ts';

export interface DeviceAddress extends PinnedServer {
  readonly protocol: 'http' | 'https';
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | null;
}

type Send = (request: DeviceRequest, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Answer>;

/** Connects to the address that `outgoing` resolved and allowed, for each request again. */
export function directTransport(address: DeviceAddress, outgoing: Pick<Outgoing, 'choose'>): Transport {
  const { protocol, host, port } = address;
  const origin = `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return limited(async (request, headers, signal) => {
    const resolved = await orAborted(outgoing.choose({ host, port }), signal);
    if (protocol === 'https') {
      return requestPinned(resolved, address, request, { host: new URL(origin).host, ...headers }, signal);
    }
    return fetchFrom(resolved, origin + request.path, initOf(request, headers, signal));
  });
}

/** Connects to a unix socket, behind which a link carries the requests to the device. */
export function socketTransport(path: string): Transport {
  return limited(async (request, headers, signal) => {
    try {
      const answer = await fetch(`http://localhost${request.path}`, {
        ...initOf(request, headers, signal),
        unix: path,
      });
      // Of the agent, which speaks TLS with a device that has only HTTPS (RFC 9209).
      if (answer.status === 502 && /\btls_certificate_error\b/.test(answer.headers.get('proxy-status') ?? '')) {
        throw new DeviceProblem(
          'certificateChanged',
          'the certificate of the device is not the one that its agent accepts',
        );
      }
      return answer;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ECONNREFUSED')
        throw new DeviceProblem('linkDown', 'the link is not connected');
      throw error;
    }
  });
}

function initOf(
  { method = 'GET', body }: DeviceRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) {
  return {
    method,
    headers,
    signal,
    redirect: 'manual',
    keepalive: false,
    ...(body !== undefined && { body: isUpload(body) ? streamOf(body) : body }),
  } as const;
}

/** The runtime reads it as fast as the connection takes it, and cancels it if the answer comes before its end. */
function streamOf({ parts }: DeviceUpload): ReadableStream<Uint8Array> {
  const source = parts()[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(out) {
        const { done, value } = await source.next();
        if (done) out.close();
        else out.enqueue(value);
      },
      async cancel() {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function limited(send: Send): Transport {
  return {
    async request(request, signal): Promise<DeviceResponse> {
      if (!request.path.startsWith('/')) throw new Error('the path of a request begins with a slash');
      signal.throwIfAborted();
      const ending = new AbortController();
      const end = () => ending.abort();
      let isLate = false;
      const limit = () =>
        setTimeout(() => {
          isLate = true;
          end();
        }, request.timeoutMs);
      let timer = limit();
      const upload = isUpload(request.body) ? request.body : undefined;
      let sourceFault: { readonly reason: unknown } | undefined;
      /** Nothing is late while the source itself takes its time. */
      const paused = async function* ({ parts }: DeviceUpload) {
        clearTimeout(timer);
        try {
          for await (const part of parts()) {
            timer = limit();
            yield part;
            clearTimeout(timer);
          }
        } catch (error) {
          sourceFault = { reason: error };
          throw error;
        }
        timer = limit();
      };
      signal.addEventListener('abort', end, { once: true });
      try {
        const headers = {
          ...{ 'user-agent': 'Signalbox', 'accept-encoding': 'identity' },
          // Without the length, the runtime would send it in chunks, which devices do not know.
          ...(upload && { 'content-type': upload.type, 'content-length': `${upload.bytes}` }),
          ...request.headers,
        };
        const sent = upload ? { ...request, body: { ...upload, parts: () => paused(upload) } } : request;
        const { status, headers: received, body } = await send(sent, headers, ending.signal);
        return { status, headers: received, body: await gather(body, request.maxBytes, ending.signal) };
      } catch (error) {
        signal.throwIfAborted();
        if (sourceFault) throw sourceFault.reason;
        if (isLate)
          throw new DeviceProblem('timeout', `the device did not answer within ${request.timeoutMs / 1000} s`);
        throw problemOf(error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        // Ends the connection if the answer was not read to its end.
        end();
      }
    },
  };
}

async function gather(body: Answer['body'], maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  const reading = (async () => {
    for await (const part of body) {
      length += part.byteLength;
      if (length > maxBytes) throw new DeviceProblem('invalidAnswer', `the answer is longer than ${maxBytes} bytes`);
      parts.push(part);
    }
  })();
  await orAborted(reading, signal);
  return Buffer.concat(parts, length);
}

/** Rejects when the signal is aborted, whether or not `work` ends then. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** The runtime's messages are not used: they contain the URL, in which some APIs carry the password. */
function problemOf(error: unknown): DeviceProblem {
  if (error instanceof DeviceProblem) return error;
  if (error instanceof OutgoingError) return new DeviceProblem('unreachable', error.message);
  const code = codeOf(error);
  if (code === 'ECONNRESET') return new DeviceProblem('invalidAnswer', 'the device closed the connection');
  if (/^E[A-Z]+$/.test(code) && code !== 'EPROTO') return new DeviceProblem('unreachable', `no connection (${code})`);
  return new DeviceProblem('invalidAnswer', 'the response of the device is not valid HTTP');
}
