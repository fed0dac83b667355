import { connectionStates } from '../../../../daemon/contract/streams.ts';
import type { StateFilter } from '../../ui/table/column.ts';
import { connectionLooks, inputRunLook, outputLook } from './state-look.ts';

interface Listed {
  readonly run: { readonly 'conn-state': number; readonly enable?: boolean } | undefined;
}

const has = (matches: (state: number) => boolean) => (item: Listed) =>
  item.run !== undefined && item.run.enable !== false && matches(item.run['conn-state']);

const shared: readonly StateFilter<Listed>[] = [
  { key: 'running', title: connectionLooks.connected.text, has: has((state) => state === connectionStates.connected) },
  { key: 'failed', title: connectionLooks.failed.text, has: has((state) => state >= connectionStates.failed) },
  { key: 'waiting', title: connectionLooks.waiting.text, has: has((state) => state < connectionStates.connected) },
];
const unused: StateFilter<Listed> = {
  key: 'unused',
  title: inputRunLook(undefined).text,
  has: ({ run }) => run === undefined,
};

export const inputFilters: readonly StateFilter<Listed>[] = [...shared, unused];

export const outputFilters: readonly StateFilter<Listed>[] = [
  ...shared,
  {
    key: 'stopped',
    title: outputLook({ enable: false, 'conn-state': 0 }).text,
    has: ({ run }) => run?.enable === false,
  },
  unused,
];
