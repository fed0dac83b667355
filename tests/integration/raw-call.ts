/** Requests that a browser or `fetch` would not send: from another address, by any path, Host and header. */
import { request } from 'node:http';
import type { HubProcess } from './hub-process.ts';

export interface RawCall {
  /** Sent as it stands. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
  /** Address of this machine that it comes from, such as 127.0.0.9. */
  readonly from?: string;
  /** Of the hub unless another one is named. */
  readonly port?: number;
}
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of an answer in JSON. */
  readonly json: { readonly result: number; readonly [name: string]: unknown };
}

const answerMs = 110_000;
const longestText = 16 << 20;

/** Rejects when the connection ends without an answer. */
export function rawCall(hub: HubProcess, call: RawCall): Promise<RawAnswer> {
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
        const json = () => JSON.parse(text) as RawAnswer['json'];
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
