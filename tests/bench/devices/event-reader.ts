/** Reads the event stream as a browser does. */
import type { Device } from '../../../daemon/contract/devices.ts';

export type SeenDevice = Pick<Device, 'sn' | 'status'>;

interface Message {
  readonly topic: string;
  readonly data: { readonly changed?: readonly SeenDevice[] };
}

export interface EventReader {
  /** Called with each device that the stream tells of. */
  onDevice: (device: SeenDevice) => void;
  close(): Promise<void>;
}

export async function readDevices(url: string, cookie: string, sns: readonly string[]): Promise<EventReader> {
  const ending = new AbortController();
  const response = await fetch(`${url}/api/events?topics=${['devices', ...sns].join(':')}`, {
    headers: { cookie },
    signal: ending.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`events: HTTP status ${response.status}`);
  const reader: EventReader = {
    onDevice: () => {},
    async close() {
      ending.abort();
      await reading;
    },
  };
  const take = ({ topic, data }: Message) => {
    if (topic === 'devices') for (const device of data.changed ?? []) reader.onDevice(device);
  };
  const { body } = response;
  const reading = (async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of body) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as Message);
    }
  })().catch(() => {});
  return reader;
}
