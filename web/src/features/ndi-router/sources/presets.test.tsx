import { beforeEach, expect, test } from 'bun:test';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import type { NdiInput } from '../../../../../daemon/contract/ndi-router.ts';
import ConfirmDialog from '../../../ui/overlay/ConfirmDialog.tsx';
import { closeConfirm, useConfirm } from '../../../ui/overlay/confirm.ts';
import { type Asked, answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import type { Router } from '../router-query.ts';
import InputDialog from './InputDialog.tsx';
import SavePresetDialog from './SavePresetDialog.tsx';
import { SourceLists } from './SourceLists.tsx';

class SilentEvents extends EventTarget {
  close(): void {}
}
globalThis.EventSource ??= SilentEvents as never;
beforeEach(() => act(closeConfirm));

const input: NdiInput = {
  ...{ id: 3, revision: 4, label: 'Stage', source: 'STUDIO (Camera 1)', group: 'Studio', address: '' },
  ...{ failover: null, online: true },
};
const free: NdiInput = { ...input, id: 4, label: '', source: null, group: '', online: false };
const inputs = new Map([input, free].map((one) => [one.id, one]));
const router = { router: {}, inputs, outputs: new Map() } as unknown as Router;
const preset = { id: 7, name: 'Truck', source: 'TRUCK (Camera 2)', group: '', alias: 'Truck cam' };
const sources = [
  { name: 'STUDIO (Camera 1)', own: false },
  { name: 'TRUCK (Camera 1)', own: false },
  { name: 'HUB (Out 1)', own: true },
];

function Shown({ children }: { children: ReactNode }) {
  const question = useConfirm((state) => state.open);
  return (
    <Suspense>
      {children}
      {question && <ConfirmDialog question={question} />}
    </Suspense>
  );
}

async function show(children: ReactNode, text: string) {
  const answers: Record<string, object> = {
    '/api/ndi/preset/list': { result: 0, list: [preset] },
    '/api/ndi/source/list': { result: 0, list: sources },
  };
  const asked = answerCalls(answers);
  renderPage(<Shown>{children}</Shown>);
  await screen.findByText(text);
  return { asked, answers };
}

const bodiesOf = (asked: Asked[], path: string) =>
  asked.filter((one) => one.path === `/api/ndi/${path}`).map(({ body }) => body);
/** By text: looking for roles takes long in a page with a dialog. */
const press = (text: string) => fireEvent.click(screen.getByText(text).closest('button') as HTMLElement);
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

test('a preset fills the form of an input', async () => {
  const { asked } = await show(<InputDialog {...{ input, router }} mayEdit onClose={() => {}} />, 'Input 3');
  fireEvent.change(screen.getByLabelText('Preset'), { target: { value: 'Truck' } });
  expect([field('Label').value, field('Source').value, field('Group').value]).toEqual([
    'Truck cam',
    'TRUCK (Camera 2)',
    '',
  ]);
  press('Save');
  await waitFor(() => expect(bodiesOf(asked, 'router/input/set')).toHaveLength(1));
  expect(bodiesOf(asked, 'router/input/set')[0]).toMatchObject({ id: 3, source: 'TRUCK (Camera 2)', revision: 4 });
});

test('the source of an input is saved as a preset, which replaces another one only after a question', async () => {
  let isClosed = false;
  const close = () => {
    isClosed = true;
  };
  const source = { source: 'STUDIO (Camera 1)', group: 'Studio', alias: 'Stage' };
  const { asked, answers } = await show(<SavePresetDialog source={source} onClose={close} />, 'Save as preset');
  const fields = [{ path: 'name', rule: 'exists', message: '' }];
  answers['/api/ndi/preset/save'] = { result: 1003, message: '', params: { what: 'Truck' }, fields };
  fireEvent.change(field('Name'), { target: { value: 'Truck' } });
  press('Save preset');
  await screen.findByText('Replace');
  answers['/api/ndi/preset/save'] = { result: 0, id: 7 };
  press('Replace');
  await waitFor(() => expect(isClosed).toBe(true));
  const body = { name: 'Truck', ...source };
  expect(bodiesOf(asked, 'preset/save')).toEqual([body, { ...body, replace: true }]);
});

test('a found source gets the next free input without a group; own outputs are listed on request', async () => {
  const { asked } = await show(<SourceLists router={router} mayEdit />, 'Presets');
  const names = () => [...document.querySelectorAll('li')].map(({ textContent }) => textContent);
  expect(names()).toEqual(['TRUCK (Camera 1)Add to an input', 'TruckTRUCK (Camera 2)Add to an input']);
  fireEvent.click(screen.getByLabelText('Show outputs of this router'));
  expect(names()[1]).toBe('HUB (Out 1)Add to an input');
  const add = (at: number) => fireEvent.click(screen.getAllByText('Add to an input')[at]?.closest('button') as Element);
  add(0);
  add(2);
  const added = [{ source: 'TRUCK (Camera 1)' }, { preset: 7 }];
  await waitFor(() => expect(bodiesOf(asked, 'router/input/set')).toEqual(added));
});
