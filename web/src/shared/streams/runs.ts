/** What the channels report of their inputs and outputs, for the lists of inputs and outputs. */
import { useMemo, useRef } from 'react';
import type { Channel, ChannelInput, ChannelOutput } from '../../../../daemon/contract/channels.ts';
import { connectionStates } from '../../../../daemon/contract/streams.ts';
import { useChannels } from './channels-query.ts';

/** Outputs by id. */
export function outputRuns(channels: readonly Channel[]): ReadonlyMap<number, ChannelOutput> {
  return new Map(channels.flatMap(({ outputs }) => outputs.list.map((output) => [output.id, output] as const)));
}

/** Inputs by id, of channels that are not stopped. Of several channels with the same input, one that receives counts. */
export function inputRuns(channels: readonly Channel[]): ReadonlyMap<number, ChannelInput> {
  const runs = new Map<number, ChannelInput>();
  for (const { config, input, failover } of channels) {
    if (!config.enable) continue;
    for (const one of failover === undefined ? [input] : [failover.main, failover.backup]) {
      const known = runs.get(one.id);
      if (one.id !== 0 && (known === undefined || known['conn-state'] !== connectionStates.connected)) {
        runs.set(one.id, one);
      }
    }
  }
  return runs;
}

/** The items with what the channels report of them. An object stays the same until its item or its report changes. */
export function useRuns<Item extends { readonly id: number }, Run>(
  items: readonly Item[],
  runsOf: (channels: readonly Channel[]) => ReadonlyMap<number, Run>,
): readonly (Item & { readonly run: Run | undefined })[] {
  const channels = useChannels().data;
  const before = useRef(new Map<number, { item: Item; row: Item & { readonly run: Run | undefined } }>());
  return useMemo(() => {
    const runs = channels && runsOf(channels);
    return items.map((item) => {
      const run = runs?.get(item.id);
      const known = before.current.get(item.id);
      if (known !== undefined && known.item === item && known.row.run === run) return known.row;
      const row = { ...item, run };
      before.current.set(item.id, { item, row });
      return row;
    });
  }, [channels, items, runsOf]);
}
