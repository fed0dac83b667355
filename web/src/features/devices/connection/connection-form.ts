/** How devices connect to the hub, as the form has it. */
import { DeviceConnection } from '../../../../../daemon/contract/device-fields.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { protocolBits } from '../../../../../daemon/contract/streams.ts';
import { type FieldFaults, faultsOf, numberOf } from '../../../ui/form/schema-form.ts';

export interface ConnectionValues {
  /** Whether the device has settings of its own; always true for those of all devices. */
  readonly ownInput: boolean;
  readonly inputProtocol: string;
  readonly inputLatency: string;
  readonly stream: string;
  readonly ownOutput: boolean;
  readonly outputProtocol: string;
  readonly outputLatency: string;
  readonly buffer: string;
}

const srt = String(protocolBits.srt);

export const isSrt = (protocol: string): boolean => protocol === srt;

const latencyOf = (latency: number | undefined) => String(latency ?? limits.latency.default);

/** `usual`: what the fields begin with if the device has nothing of its own. */
export function connectionValues(own: DeviceConnection | null, usual: DeviceConnection): ConnectionValues {
  const { input = usual.input, output = usual.output } = own ?? {};
  return {
    ownInput: own?.input !== undefined,
    inputProtocol: String(input?.protocol ?? 0),
    inputLatency: latencyOf(input?.latency),
    stream: String(input?.['stream-index'] ?? 0),
    ownOutput: own?.output !== undefined,
    outputProtocol: String(output?.protocol ?? 0),
    outputLatency: latencyOf(output?.latency),
    buffer: String(output?.['buffer-ms'] ?? 0),
  };
}

/** As the call takes it: a side without settings of its own is absent, which clears it. */
export function connectionOf(values: ConnectionValues): DeviceConnection {
  const protocolOf = (text: string) => Number(text) as 0 | 1 | 2;
  const latency = (protocol: string, text: string) => (isSrt(protocol) ? { latency: numberOf(text) } : {});
  const { ownInput, inputProtocol, inputLatency, stream, ownOutput, outputProtocol, outputLatency, buffer } = values;
  return {
    ...(ownInput && {
      input: {
        protocol: protocolOf(inputProtocol),
        ...latency(inputProtocol, inputLatency),
        'stream-index': stream === '1' ? 1 : 0,
      },
    }),
    ...(ownOutput && {
      output: {
        protocol: protocolOf(outputProtocol),
        ...latency(outputProtocol, outputLatency),
        'buffer-ms': numberOf(buffer),
      },
    }),
  };
}

const fields: Readonly<Record<string, keyof ConnectionValues>> = {
  'input.protocol': 'inputProtocol',
  'input.latency': 'inputLatency',
  'input.stream-index': 'stream',
  'output.protocol': 'outputProtocol',
  'output.latency': 'outputLatency',
  'output.buffer-ms': 'buffer',
};

/** The field of a path in the request. */
export const connectionField = (path: string): string => fields[path.replace(/^config\./, '')] ?? path;

export function connectionFaults(values: ConnectionValues): FieldFaults {
  const faults = faultsOf(DeviceConnection, connectionOf(values));
  return Object.fromEntries(Object.entries(faults).map(([path, rule]) => [connectionField(path), rule]));
}
