import { expect, test } from 'bun:test';
import type { Channel, ChannelOutput } from '../../../../daemon/contract/channels.ts';
import { connectionStates } from '../../../../daemon/contract/streams.ts';
import { RateCell } from '../../shared/streams/RateCell.tsx';
import { channelLooks, outputLook } from '../../shared/streams/state-look.ts';
import { renderPage } from '../../ui/render-for-test.tsx';
import { CountCell, OutputsCell, RunTimeCell } from './channel-cells.tsx';

const textOf = (cell: React.ReactNode) => renderPage(cell).container.querySelector('span')?.textContent;

test('zero is a number, and a dash is for what is not measured', () => {
  expect(textOf(<RateCell kbps={0} />)).toBe('0kb/s');
  expect(textOf(<RateCell kbps={undefined} />)).toBe('–');
  expect(textOf(<RunTimeCell seconds={0} />)).toBe('00:00:00');
  expect(textOf(<RunTimeCell seconds={undefined} />)).toBe('–');
  expect(textOf(<CountCell count={0} />)).toBe('0');
});

test('a channel without outputs has 0 / 0 of them', () => {
  const channel = { state: 'live', outputs: { list: [], total: 0 } } as unknown as Channel;
  expect(textOf(<OutputsCell channel={channel} />)).toBe('0 / 0');
});

test('channels and connections that wait, or are stopped, look the same', () => {
  const output = (enable: boolean) => ({ enable, 'conn-state': connectionStates.waiting }) as ChannelOutput;
  expect(outputLook(output(true))).toEqual({ ...channelLooks.waiting, rank: expect.any(Number) });
  expect(outputLook(output(false))).toEqual({ ...channelLooks.disabled, rank: expect.any(Number) });
});
