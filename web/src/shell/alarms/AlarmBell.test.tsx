import { expect, test } from 'bun:test';
import { act, screen, waitFor } from '@testing-library/react';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { maskOf } from '../../../../daemon/contract/permission.ts';
import { queryClient } from '../../api/query-client.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import AlarmBell from './AlarmBell.tsx';

const alarm = (id: number, more: Partial<Alarm> = {}): Alarm => ({
  ...{ id, kind: 'no-input', severity: 'critical', channel: 1, name: `Studio ${id}`, threshold: 5, peak: 5 },
  ...{ raised: 1, cleared: 0 },
  ...more,
});
/** The alarms come from the test. */
class SilentEvents extends EventTarget {
  close() {}
}
globalThis.EventSource ??= SilentEvents as never;

const status = { system: { info: { name: 'vm' } } };
const show = (...alarms: Alarm[]) => act(() => queryClient.setQueryData(['alarms', 'active'], alarms));

test('the bell and the title of the window count what calls for attention; only new alarms are announced', async () => {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf('channelView'), type: 4 };
  answerCalls({ '/api/session': { result: 0, user }, '/api/system/status': { result: 0, status } });
  renderPage(
    <>
      <PageHeader title="Dashboard" />
      <AlarmBell />
    </>,
  );
  await screen.findByRole('link', { name: 'Alarms' });
  await show(alarm(1), alarm(2, { acknowledged: { by: 'Bob', time: 1 } }));
  await screen.findByRole('link', { name: 'Alarms: 1 unacknowledged' });
  expect(document.title).toStartWith('(1) Dashboard');
  const log = screen.getByRole('log', { name: 'New alarms' });
  expect(log.textContent).toBe('');
  await show(alarm(1), alarm(2), alarm(3));
  await waitFor(() => expect(log.textContent).toBe('Studio 3: No input'));
  expect(document.title).toStartWith('(3) Dashboard');
  await show();
  await screen.findByRole('link', { name: 'Alarms' });
  expect(document.title).toStartWith('Dashboard');
});
