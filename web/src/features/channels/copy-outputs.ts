/** The outputs of a channel that is copied. */
import type { I18n } from '@lingui/core';
import type { Output } from '../../../../daemon/contract/outputs.ts';
import { outputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { faultText } from '../../i18n/result-text.ts';
import { copyName } from '../../shared/editing/copy-name.ts';
import { outputsQuery } from '../../shared/outputs/output-calls.ts';

interface Copying {
  /** Ids of the channels. */
  readonly from: number;
  readonly to: number;
  /** Ends the names of copies. */
  readonly word: string;
  readonly i18n: I18n;
}

export function outputsOf(channel: number, outputs: readonly Output[]): Output[] {
  return outputs.filter((output) => output['owner-o-d'] === channel);
}

/** Adds a copy of each output, which does not send until it is started. Returns the refusals, each with its output. */
export async function copyOutputs({ from, to, word, i18n }: Copying): Promise<string[]> {
  const outputs = await queryClient.fetchQuery(outputsQuery);
  const taken = outputs.map(({ name }) => name);
  const refusals: string[] = [];
  for (const { id, name } of outputsOf(from, outputs)) {
    const copy = copyName(name, taken, word);
    try {
      await call(outputApi.add, { body: { name: copy, 'copy-of': id, channel: to, enable: false } });
      taken.push(copy);
    } catch (error) {
      refusals.push(`${name}: ${faultText(i18n, error)}`);
    }
  }
  await refresh('outputs', 'channels');
  return refusals;
}
