import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { featureBits } from '../../../../daemon/contract/variant.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { SourceDialog } from './SourceDialog.tsx';

function open(features: number) {
  const asked = answerCalls({
    '/api/session': { result: 0, 'is-hardware': false, 'feature-support': features, user: { permission: 0xffffffff } },
    '/api/ndi/source/list': {
      result: 0,
      list: [
        { name: 'STUDIO (Cam 1)', own: false },
        { name: 'HUB (Out 1)', own: true },
      ],
    },
    '/api/ndi/router/get': {
      result: 0,
      inputs: [{ source: 'STUDIO (Cam 1)', label: 'Host' }],
      outputs: [{ 'full-name': 'HUB (Out 1)', label: 'Lobby' }],
    },
    '/api/ndi/preset/list': {
      result: 0,
      list: [
        { id: 1, name: 'Cam', source: 'STUDIO (Cam 1)', group: 'News', 'low-bandwidth': true },
        { id: 2, name: 'Roof camera', source: 'ROOF (Main)', group: '', 'discovery-server': '10.0.0.5' },
      ],
    },
  });
  renderPage(
    <SourceDialog
      {...{ title: 'Add input', verb: 'Add input', protocols: ['ndi'], isInput: true }}
      {...{ stored: undefined, queryKey: ['inputs'], reveal: undefined }}
      save={async () => {}}
      onClose={() => {}}
    />,
  );
  return asked;
}

const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });

test('sources on the network are offered with their labels in the matrix; choosing one changes nothing else', async () => {
  open(featureBits.ndi | featureBits.ndiRouter);
  await screen.findByLabelText('Preset');
  const offered = () =>
    [...document.querySelectorAll('datalist option')].map((one) =>
      ['value', 'label'].map((name) => one.getAttribute(name)),
    );
  const labeled = [
    ['STUDIO (Cam 1)', 'Host'],
    ['HUB (Out 1)', 'Lobby'],
  ];
  await waitFor(() => expect(offered()).toEqual(labeled));
  type('Groups', 'Sport');
  type('Source name', 'STUDIO (Cam 1)');
  expect(value('Groups')).toBe('Sport');
  expect(screen.getByLabelText('Low bandwidth')).toHaveProperty('checked', false);
});

test('a preset fills in what it has', async () => {
  open(featureBits.ndi | featureBits.ndiRouter);
  const preset = await screen.findByLabelText('Preset');
  type('Additional machines', '10.0.0.9');
  fireEvent.change(preset, { target: { value: 'Cam' } });
  expect([value('Source name'), value('Groups'), value('Discovery servers')]).toEqual(['STUDIO (Cam 1)', 'News', '']);
  fireEvent.change(preset, { target: { value: 'Roof camera' } });
  expect([value('Source name'), value('Groups'), value('Discovery servers')]).toEqual(['ROOF (Main)', '', '10.0.0.5']);
  expect(value('Additional machines')).toBe('10.0.0.9');
  expect(screen.getByLabelText('Low bandwidth')).toHaveProperty('checked', true);
});

test('a hub that routes no NDI is not asked for sources', async () => {
  const asked = open(featureBits.ndi);
  await screen.findByLabelText('Source name');
  expect(asked.map(({ path }) => path)).not.toContain('/api/ndi/source/list');
});
