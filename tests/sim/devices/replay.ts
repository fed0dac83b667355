import type { DeviceRequest, Transport } from '../../../daemon/devices/driver.ts';
import type { Json } from './device.ts';

/** A transport whose device gives each method the same answer, and code 0 to every other one; it keeps no state. */
export function replayTransport(
  resultField: 'status' | 'result',
  answers: Readonly<Record<string, Json>>,
): Transport & { readonly calls: readonly string[] } {
  const calls: string[] = [];
  return {
    calls,
    async request({ path }: DeviceRequest, signal) {
      signal.throwIfAborted();
      const method = new URL(path, 'http://device').searchParams.get('method') ?? path;
      calls.push(method);
      const answer = answers[method] ?? { [resultField]: 0 };
      return { status: 200, headers: new Headers(), body: new TextEncoder().encode(JSON.stringify(answer)) };
    },
  };
}
