/** Requests that a browser or `fetch` would not send: from another address, with any path, Host and header. */
import { request } from 'node:http';
import type { HubProcess } from './hub-process.ts';

export interface RawCall {
  /** Sent unmodified. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown;
  /** Local source address, such as 127.0.0.9. */
  readonly from?: string;
  /** Default: the port of the hub. */
  readonly port?: number;
}
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** A JSON response. */
  readonly json: { readonly result: number; readonly [name: string]: unknown };
}

const answerMs = 110_000;
const longestText = 16 << 20;

/** Rejects if the connection closes without a response. */
export function rawCall(hub: HubProcess, call: RawCall): Promise<RawResponse> {
  const { path, method = call.body === undefined ? 'GET' : 'POST', from, port = hub.ports.http } = call;
  const isText = typeof call.body === 'string';
  const sent = call.body === undefined ? undefined : isText ? String(call.body) : JSON.stringify(call.body);
  const headers = {
    ...(sent !== undefined && { 'content-length': String(Buffer.byteLength(sent)) }),
    ...(call.body !== undefined && !isText && { 'content-type': 'application/json' }),
    ...call.headers,
  };
  return new Promise((resolve, reject) => {
    const at = { host: '127.0.0.1', port, ...(from !== undefined && { localAddress: from }) };
    const asked = request({ ...at, path, method, headers, agent: false, timeout: answerMs }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > longestText) asked.destroy(new Error(`${path} does not end`));
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const list = Object.entries(answer.headersDistinct ?? {}).flatMap(([name, values = []]) =>
          values.map((value) => [name, value] as [string, string]),
        );
        const json = () => JSON.parse(text) as RawResponse['json'];
        resolve({
          ...{ status: answer.statusCode ?? 0, headers: new Headers(list), text },
          get json() {
            return json();
          },
        });
      });
    });
    asked.on('timeout', () => asked.destroy(new Error(`${path} answers nothing`)));
    asked.on('error', reject);
    asked.end(sent);
  });
}
